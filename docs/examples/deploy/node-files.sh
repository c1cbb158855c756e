#!/bin/sh
# As root on each node, with the file system for files mounted at /srv/parley-files.
(
  set -eu
  systemctl stop parley
  systemctl disable --now parley-backup.timer # the database is backed up by its own tools
  install -d -m 0700 -o parley -g parley /srv/parley-files
  install -D -m 0644 /opt/parley/docs/examples/deploy/node-files.conf /etc/systemd/system/parley.service.d/files.conf
  systemctl daemon-reload
)
