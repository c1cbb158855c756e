#!/bin/sh
# Keeps one copy for each day of the week, or under another name, with its files and the keys of the server.
set -eu
data=${1:-/var/lib/parley}
copies=${2:-/var/lib/parley-backups}
name=${3:-$(LC_ALL=C date +%a)}

copy=$copies/parley-$name
parley backup "$copy.db" --data-dir "$data"
mkdir -p "$copy.keys"
for key in push-keys.json receipt-key.pem; do
  if [ -e "$data/$key" ]; then cp "$data/$key" "$copy.keys/"; fi
done
