#!/bin/sh
# As root, in the folder in which `parley new my-plugin` was run
(
  set -eu
  cp -r my-plugin /etc/parley/plugins/
  chown -R root:parley /etc/parley/plugins/my-plugin
  chmod -R g=rX,o= /etc/parley/plugins/my-plugin
)
