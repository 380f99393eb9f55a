#!/bin/sh
# nightly copy of the shared folder to the NAS, keeps 21 days
SRC=/srv/garden
DST=/mnt/nas/garden-$(date +%F)
KEEP=21
cp -a "$SRC" "$DST"
find /mnt/nas -maxdepth 1 -name 'garden-*' -mtime +$KEEP -exec rm -r {} +
