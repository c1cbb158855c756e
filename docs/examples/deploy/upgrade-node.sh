#!/bin/sh
# As root, on one node after the other.
(
  set -eu
  node=10.0.0.11:7420
  /opt/parley-next/packages/cli/dist/main.js --version # if it was not built, nothing else happens
  systemctl stop parley
  rm -rf /opt/parley-before
  mv /opt/parley /opt/parley-before
  mv /opt/parley-next /opt/parley
  cd /opt/parley/docs/examples/deploy
  cp parley*.service parley-backup.timer /etc/systemd/system/
  systemctl daemon-reload
  systemctl start parley
  curl --silent --fail --retry 60 --retry-delay 1 --retry-all-errors "http://$node/readyz"
)
