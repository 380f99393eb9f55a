#!/bin/sh
# runs at 23:30 from cron
SRC=/srv/press
DST=/mnt/nas-02/press
KEEP_DAYS=45
rsync -a --delete "$SRC/" "$DST/" && echo "$(date '+%F %T') OK" || echo "$(date '+%F %T') FAILED"
find "$DST/old" -mtime +$KEEP_DAYS -delete
