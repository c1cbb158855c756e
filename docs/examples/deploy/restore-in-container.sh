#!/bin/sh
# In /srv/parley
docker compose stop parley
docker compose run --rm --no-deps --entrypoint sh parley -c 'rm -f /data/parley.db* && cp /backups/parley.db /data/'
docker compose start parley
