#!/bin/sh
# As root, with the new release built in /opt/parley-next.
set -eu
systemctl stop parley
cp -a /var/lib/parley /var/lib/parley-before
mv /opt/parley /opt/parley-before && mv /opt/parley-next /opt/parley
systemctl start parley
