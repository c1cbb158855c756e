#!/bin/sh
# As root: back to the release and the data from before the upgrade.
set -eu
systemctl stop parley
rm -rf /opt/parley-next && mv /opt/parley /opt/parley-next && mv /opt/parley-before /opt/parley
rm -rf /var/lib/parley-after && mv /var/lib/parley /var/lib/parley-after && mv /var/lib/parley-before /var/lib/parley
systemctl start parley
