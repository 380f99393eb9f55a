#!/bin/sh
# nightly backup of the office folder to the NAS in Konstanz (cron, 02:15)
SRC="$HOME/office"
DST="nas-konstanz:/volume1/backup/office"
KEEP=30
rsync -a --delete --exclude 'tmp/' "$SRC/" "$DST/$(date +%F)/" || exit 1
# TODO: mail to Jonas when it fails
echo "backup done, keeping $KEEP days"
