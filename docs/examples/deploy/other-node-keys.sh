#!/bin/sh
# As root on each other node.
(
  set -eu
  cd /root
  install -m 0600 -o parley -g parley push-keys.json receipt-key.pem /var/lib/parley/
  rm push-keys.json receipt-key.pem
)
