#!/bin/sh
# What follows depends on how the question ended.

parley approve "Restore the backup?" --subject "monday.tar, over what is there now" --timeout 15m
case $? in
  0) echo "restoring" ;;
  1) echo "leaving it as it is" ;;
  3) echo "nobody was there: leaving it as it is" ;;
  *) echo "could not ask" >&2; exit 1 ;;
esac
