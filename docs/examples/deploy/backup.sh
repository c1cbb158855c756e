#!/bin/sh
# Keeps one copy for each day of the week, with its files and the keys of the server.
set -eu
data=${1:-/var/lib/parley}
copies=${2:-/var/lib/parley-backups}

today=$copies/parley-$(date +%a)
parley backup "$today.db" --data-dir "$data"
mkdir -p "$today.keys"
for key in push-keys.json receipt-key.pem; do
  if [ -e "$data/$key" ]; then cp "$data/$key" "$today.keys/"; fi
done
