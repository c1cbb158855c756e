#!/bin/sh
# As root: back to the release and the data from before the upgrade.
set -eu
systemctl stop parley
mv /opt/parley /opt/parley-next && mv /opt/parley-before /opt/parley
mv /var/lib/parley /var/lib/parley-after && mv /var/lib/parley-before /var/lib/parley
systemctl start parley
