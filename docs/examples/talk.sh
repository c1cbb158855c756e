#!/bin/sh
# Sends a message to an agent, stores the events of its turn, and counts its replies.
set -eu

echo "What changed today?" | parley chat --json > talk.jsonl
grep -c '"type":"assistant_done"' talk.jsonl
