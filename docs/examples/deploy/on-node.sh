#!/bin/sh
# As root
(
  set -a
  . /etc/parley/parley.env
  runuser -u parley -- parley token create --role operator --name Ann --data-dir /var/lib/parley
)
