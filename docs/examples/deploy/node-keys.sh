#!/bin/sh
# As root on the first node. The first line makes the key of receipts if there was no receipt yet.
runuser -u parley -- parley receipt key --data-dir /var/lib/parley
scp /var/lib/parley/push-keys.json /var/lib/parley/receipt-key.pem root@10.0.0.12:/root/
