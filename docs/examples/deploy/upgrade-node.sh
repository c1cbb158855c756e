#!/bin/sh
# As root, on one node after the other.
set -eu
systemctl stop parley
rm -rf /opt/parley-before && mv /opt/parley /opt/parley-before && mv /opt/parley-next /opt/parley
systemctl start parley
curl --silent --fail --retry 60 --retry-delay 1 --retry-all-errors http://127.0.0.1:7420/readyz
