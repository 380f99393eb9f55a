#!/bin/sh
# copies the shop folder to the USB stick every Sunday night
SRC="$HOME/bakery"
DEST="/media/usb/bakery-backup"
KEEP=8

mkdir -p "$DEST"
tar czf "$DEST/bakery-$(date +%F).tar.gz" "$SRC"
# TODO: delete all but the newest $KEEP
echo "backup done"
