#!/bin/sh
# As root: a new token of the owner.
(
  set -eu
  token=$(openssl rand -hex 32)
  sed -i "s/^PARLEY_TOKEN=.*/PARLEY_TOKEN=$token/" /etc/parley/parley.env
  systemctl restart parley
)
