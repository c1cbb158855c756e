#!/bin/sh
# As root, with a checkout at /opt/parley, which the image is built from.
(
  set -eu
  mkdir -p /srv/parley/config/plugins /srv/parley/backups
  cd /srv/parley
  examples=/opt/parley/docs/examples
  [ -e compose.yaml ] || cp $examples/deploy/compose.yaml .
  [ -e config/parley.config.json ] || cp $examples/deploy/parley.config.json config/
  cp $examples/deploy/backup.sh config/
  cp $examples/hello.mjs config/plugins/
  chown 1000 backups # the user in the container
  [ -e .env ] || (umask 077 && cp $examples/deploy/.env.example .env)
  echo "s/^PARLEY_TOKEN=$/PARLEY_TOKEN=$(openssl rand -hex 32)/" | sed -i -f /dev/stdin .env # in no process list
  "${EDITOR:-vi}" .env # the name under which browsers reach it
)
