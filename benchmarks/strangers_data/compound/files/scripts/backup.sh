#!/bin/sh
# copies the tables to the office NAS every night at 02:15 (cron)
SRC="$HOME/jinhe"
DST="/mnt/nas/backup/$(date +%F)"
mkdir -p "$DST"
cp -r "$SRC/repairs" "$SRC/收费" "$SRC/parking" "$DST/"
# keep 30 days
find /mnt/nas/backup -maxdepth 1 -mtime +30 -exec rm -r {} +
