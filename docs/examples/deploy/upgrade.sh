#!/bin/sh
# As root, with the new release built in /opt/parley-next.
(
  set -eu
  /opt/parley-next/packages/cli/dist/main.js --version # if it was not built, nothing else happens
  systemctl stop parley
  rm -rf /var/lib/parley-before
  cp -a /var/lib/parley /var/lib/parley-before
  rm -rf /opt/parley-before
  mv /opt/parley /opt/parley-before
  mv /opt/parley-next /opt/parley
  cd /opt/parley/docs/examples/deploy
  cp parley*.service parley-backup.timer /etc/systemd/system/
  systemctl daemon-reload
  systemctl start parley
)
