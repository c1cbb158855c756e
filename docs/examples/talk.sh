#!/bin/sh
# Sends an agent a message, keeps everything that happened in its turn, and says how often it spoke.
set -eu

echo "What changed today?" | parley chat --json > talk.jsonl
grep -c '"type":"assistant_done"' talk.jsonl
