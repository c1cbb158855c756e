#!/bin/sh
# In /srv/parley
docker compose exec parley parley token create --role operator --name Ann
docker compose exec parley parley token list
docker compose exec parley parley pair Ann
docker compose exec parley parley doctor
docker compose exec parley sh /config/backup.sh /data /backups
