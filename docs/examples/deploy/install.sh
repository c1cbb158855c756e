#!/bin/sh
# As root, in a checkout at /opt/parley.
(
  set -eu
  cd /opt/parley
  npm run build
  ln -sf /opt/parley/packages/cli/dist/main.js /usr/local/bin/parley

  # an account that nobody can log in to
  id parley >/dev/null 2>&1 ||
    useradd --system --user-group --home-dir /var/lib/parley --shell /usr/sbin/nologin parley

  # settings and plugins, which the server can read and not change; what is there already stays
  install -d -m 0750 -g parley /etc/parley /etc/parley/plugins
  [ -e /etc/parley/parley.config.json ] ||
    install -m 0640 -g parley docs/examples/deploy/parley.config.json /etc/parley/
  install -m 0640 -g parley docs/examples/hello.mjs /etc/parley/plugins/

  # the owner's token: systemd reads this file as root
  [ -e /etc/parley/parley.env ] ||
    (umask 077 && echo "PARLEY_TOKEN=$(openssl rand -hex 32)" > /etc/parley/parley.env)

  cp docs/examples/deploy/parley*.service docs/examples/deploy/parley-backup.timer /etc/systemd/system/
  systemctl daemon-reload
  systemctl enable --now parley.service parley-backup.timer
)
