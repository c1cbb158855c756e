#!/bin/sh
# With a checkout at /opt/parley, which the image is built from.
set -eu
mkdir -p /srv/parley/config/plugins /srv/parley/backups
cd /srv/parley
cp /opt/parley/docs/examples/deploy/compose.yaml .
cp /opt/parley/docs/examples/deploy/parley.config.json config/
cp /opt/parley/docs/examples/deploy/backup.sh config/
cp /opt/parley/docs/examples/hello.mjs config/plugins/
chown 1000 backups                          # the user in the container
(umask 077 && cp /opt/parley/docs/examples/deploy/.env.example .env)
sed -i "s/^PARLEY_TOKEN=.*/PARLEY_TOKEN=$(openssl rand -hex 32)/" .env
"${EDITOR:-vi}" .env                        # the name under which browsers reach it
docker compose up --build --detach
