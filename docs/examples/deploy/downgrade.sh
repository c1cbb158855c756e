#!/bin/sh
# As root: back to the release and the data from before the upgrade.
(
  set -eu
  ls -d /opt/parley-before /var/lib/parley-before # if one of them is missing, nothing else happens
  systemctl stop parley
  rm -rf /opt/parley-next
  mv /opt/parley /opt/parley-next
  mv /opt/parley-before /opt/parley
  rm -rf /var/lib/parley-after
  mv /var/lib/parley /var/lib/parley-after
  mv /var/lib/parley-before /var/lib/parley
  cd /opt/parley/docs/examples/deploy
  cp parley*.service parley-backup.timer /etc/systemd/system/
  systemctl daemon-reload
  systemctl start parley
)
