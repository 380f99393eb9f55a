#!/bin/sh
# nightly copy of the shared folder to the office NAS
# TODO: check free space first
SRC=/srv/boamesa
DEST=/mnt/nas/boamesa
rsync -a --delete "$SRC/" "$DEST/"
find "$DEST" -name "*.tmp" -mtime +14 -delete
