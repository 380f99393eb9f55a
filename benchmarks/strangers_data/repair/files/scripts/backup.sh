#!/bin/sh
# nightly copy to the box in the cellar, keep 21 days
DEST=/mnt/kelder/schroef
KEEP=21
tar czf "$DEST/schroef-$(date +%F).tgz" repairs library finance shenzhen notes || exit 1
# TODO: also copy the logs folder
find "$DEST" -name 'schroef-*.tgz' -mtime +$KEEP -delete
