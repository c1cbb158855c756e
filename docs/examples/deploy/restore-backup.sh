#!/bin/sh
# As root: Monday's copy takes the place of the data directory, which is kept under another name.
(
  set -eu
  copy=/var/lib/parley-backups/parley-Mon
  ls -ld "$copy.db" "$copy.keys" # if there is no such copy, nothing else happens
  systemctl stop parley
  mv /var/lib/parley "/var/lib/parley-$(date +%F-%H%M%S)"
  install -d -m 0700 -o parley -g parley /var/lib/parley
  cp "$copy.db" /var/lib/parley/parley.db
  cp "$copy.keys"/* /var/lib/parley/
  if [ -d "$copy.db.files" ]; then cp -r "$copy.db.files" /var/lib/parley/files; fi
  chown -R parley:parley /var/lib/parley
  systemctl start parley
)
