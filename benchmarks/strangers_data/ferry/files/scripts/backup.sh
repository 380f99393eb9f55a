#!/bin/sh
# nightly copy to the Oban office disk
# TODO: tell Ewan when it fails
rsync -a --delete bookings/ /mnt/oban/bookings/
rsync -a crew/ /mnt/oban/crew/
