#!/bin/sh
# Answers a prompt. The inbox, GET $SERVER/api/interactions, lists the open ones.
set -eu

curl -sS "$SERVER/api/sessions/$SESSION/interactions/$PROMPT/response" \
  -H "Authorization: Bearer $PARLEY_TOKEN" -H "Content-Type: application/json" \
  -d '{"action":"submit","input":{"answer":"Tea"}}'
