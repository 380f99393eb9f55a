#!/bin/sh
# nightly copy of the club folder to the NAS, started by cron at 02:40
SRC=/home/club/files
DST=/mnt/nas/raabtal
KEEP=21   # days
rsync -a --delete "$SRC/" "$DST/current/"
tar czf "$DST/club-$(date +%F).tgz" -C "$DST" current
find "$DST" -name 'club-*.tgz' -mtime +$KEEP -delete
