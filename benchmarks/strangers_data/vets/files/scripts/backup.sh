#!/bin/sh
# nightly copy of the shared folder to the NAS
SRC=/srv/rongai
DST=nas-2:/backup/rongai
KEEP=21
rsync -a --delete "$SRC/" "$DST/$(date +%F)/"
ssh nas-2 "find /backup/rongai -maxdepth 1 -mtime +$KEEP -exec rm -r {} +"
echo "$(date) backup finished" >> /var/log/rongai-backup.log
