#!/bin/sh
# In /srv/parley
docker compose exec parley parley token create --role operator --name Ann
docker compose exec parley parley token list
docker compose exec parley parley pair Ann
docker compose exec parley parley backup /backups/parley.db
docker compose exec parley sh -c 'cp /data/push-keys.json /backups/'
