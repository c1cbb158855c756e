#!/bin/sh
# A complete client with curl: one request receives, the others send.
set -eu
auth="Authorization: Bearer $PARLEY_TOKEN"

curl -sSN "$SERVER/api/stream" -H "$auth" >stream.txt &
listening=$!
trap 'kill $listening' EXIT
until grep -q '"type":"welcome"' stream.txt; do sleep 0.1; done
connection=$(sed -n 's/.*"connectionId":"\([^"]*\)".*/\1/p' stream.txt)

curl -sS "$SERVER/api/frames" -H "$auth" -H "Parley-Connection: $connection" \
  -H "Content-Type: application/json" -d '{"type":"create_session","requestId":"r-1","title":"By curl"}'
