#!/bin/sh
# A build that asks once, however often it is started again: the key names the question.
set -eu

region=$(parley ask "Which region?" --option eu --option us --key "region-$BUILD" --from "Build $BUILD")
echo "Deploying to $region"
