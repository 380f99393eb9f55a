#!/bin/sh
# copies the office folder to the old disk every evening
SRC="$HOME/school"
DEST="/mnt/olddisk/school"
KEEP=14
mkdir -p "$DEST"
tar czf "$DEST/school-$(date +%F).tgz" "$SRC"
# TODO: delete archives older than $KEEP days
