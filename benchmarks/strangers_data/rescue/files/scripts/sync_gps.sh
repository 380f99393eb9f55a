#!/bin/sh
# copies the tracks of the GPS trackers to the NAS, run every Sunday 22:00
SRC=/media/gps
DST=nas:/rescue/tracks
rsync -a --include='*.gpx' "$SRC/" "$DST/"
