#!/bin/sh
# As root: a new token of the owner.
(
  set -eu
  token=$(openssl rand -hex 32)
  echo "s/^PARLEY_TOKEN=.*/PARLEY_TOKEN=$token/" | sed -i -f /dev/stdin /etc/parley/parley.env # in no process list
  systemctl restart parley
)
