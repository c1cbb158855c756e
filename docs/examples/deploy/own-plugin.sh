#!/bin/sh
# As root, in the folder that contains my-plugin
(
  set -eu
  cp -r my-plugin /etc/parley/plugins/
  chown -R root:parley /etc/parley/plugins/my-plugin
  chmod -R g=rX,o= /etc/parley/plugins/my-plugin
)
