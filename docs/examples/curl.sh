#!/bin/sh
# The same without the command: any program that speaks HTTP can ask.
set -eu

curl -sS "$SERVER/api/calls?wait=60" \
  -H "Authorization: Bearer $PARLEY_ASK_TOKEN" -H "Content-Type: application/json" \
  -d '{"channel":"cron","callId":"tea-1","toolName":"ask_human","args":{"question":"Tea or coffee?"}}'
