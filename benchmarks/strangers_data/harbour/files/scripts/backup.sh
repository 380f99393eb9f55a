#!/bin/sh
# nightly copy of the office folder
DEST=/mnt/backup/cove
KEEP=14
tar czf "$DEST/cove-$(date +%F).tgz" office fish fuel crew shop
ls -1t "$DEST" | tail -n +$((KEEP + 1)) | while read f; do
  echo "would remove $f"
done
