#!/bin/sh
# copies the shared folder to the NAS every night
TARGET=/mnt/nas/theatre
KEEP_DAYS=21
rsync -a --delete /srv/theatre/ "$TARGET/"
find "$TARGET/logs" -name '*.log' -mtime +$KEEP_DAYS -delete
