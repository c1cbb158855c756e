#!/bin/sh
# As root on each machine, before the server is installed: the same number everywhere.
useradd --system --user-group --uid 742 --home-dir /var/lib/parley --shell /usr/sbin/nologin parley
