#!/bin/sh
# In /srv/parley, with the new release in /opt/parley
(
  set -eu
  docker compose build
  docker compose exec parley sh /config/backup.sh /data /backups before
  docker compose up --detach
)
