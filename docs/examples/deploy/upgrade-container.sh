#!/bin/sh
# In /srv/parley, with the new release in /opt/parley
set -eu
docker compose build
docker compose exec parley parley backup /backups/before.db
docker compose up --detach
