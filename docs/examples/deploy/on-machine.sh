#!/bin/sh
# As root
runuser -u parley -- parley token create --role operator --name Ann --data-dir /var/lib/parley
runuser -u parley -- parley token list --data-dir /var/lib/parley
runuser -u parley -- parley pair Ann --config /etc/parley/parley.config.json --data-dir /var/lib/parley
(set -a; . /etc/parley/parley.env; exec runuser -u parley -- env HOME=/var/lib/parley parley doctor --config /etc/parley/parley.config.json --data-dir /var/lib/parley)
systemctl start parley-backup.service
