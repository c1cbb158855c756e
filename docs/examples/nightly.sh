#!/bin/sh
# Calls a tool once a night. A person finds its question in the morning; until then the job waits.
set -eu

parley call convert_photos '{"albums":["March","April"]}' \
  --key "photos-$(date +%F)" --channel photos --from "The nightly job" >photos.json
