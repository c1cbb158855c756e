#!/bin/sh
# Asks once a day, however often it is started: the key names the day.
set -eu

open=$(parley ask "Do we open today?" --option yes --option no \
  --key "opening-$(date +%F)" --channel opening --from "The morning job" --timeout 8h)
echo "Open today: $open"
