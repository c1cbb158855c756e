#!/bin/sh
# In /srv/parley: Monday's copy takes the place of the data, which is kept in a folder of the same volume.
(
  set -eu
  copy=parley-Mon
  ls -ld "backups/$copy.db" "backups/$copy.keys" # if there is no such copy, nothing else happens
  docker compose stop parley
  docker compose run --rm --no-deps --entrypoint sh parley -euc '
    old=/data/.before-$(date +%F-%H%M%S)
    mkdir "$old"
    mv /data/* "$old"
    cp "/backups/$1.db" /data/parley.db
    cp "/backups/$1.keys"/* /data/
    if [ -d "/backups/$1.db.files" ]; then cp -r "/backups/$1.db.files" /data/files; fi
  ' sh "$copy"
  docker compose up --detach # of the image that was built last
)
