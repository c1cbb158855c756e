#!/bin/sh
# As root, once .env has the name.
cd /srv/parley && docker compose up --build --detach
