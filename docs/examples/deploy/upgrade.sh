#!/bin/sh
# As root, with the new release built in /opt/parley-next.
set -eu
systemctl stop parley
rm -rf /var/lib/parley-before && cp -a /var/lib/parley /var/lib/parley-before
rm -rf /opt/parley-before && mv /opt/parley /opt/parley-before && mv /opt/parley-next /opt/parley
systemctl start parley
