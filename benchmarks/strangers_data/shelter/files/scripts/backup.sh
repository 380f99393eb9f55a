#!/bin/sh
# nightly copy of the office folder
SRC=/home/office/beckfoot
DEST=/mnt/nas/beckfoot
KEEP_DAYS=21
rsync -a "$SRC/" "$DEST/$(date +%F)/"
find "$DEST" -maxdepth 1 -mtime +$KEEP_DAYS -exec echo old: {} \;
