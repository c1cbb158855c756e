import { expect, test } from 'vitest';
import { isPublicAddress } from './public-address.ts';

test.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '192.169.0.1', '2606:4700:4700::1111', '2a00:1450:4001::200e'])(
  '[NTF3] %s is of the public internet',
  (address) => expect(isPublicAddress(address)).toBe(true),
);

test.each([
  ...['127.0.0.1', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254', '100.64.0.1'],
  ...['0.0.0.0', '224.0.0.1', '255.255.255.255', '198.18.0.1', '192.0.2.1'],
  ...['::1', '::', 'fe80::1', 'fc00::1', 'fd12::1', 'ff02::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '64:ff9b::7f00:1'],
  ...['2001:db8::1', '2002:7f00:1::', '2001::1', 'example.org', '', '127.1', '0x7f000001'],
])('[NTF3] %s is not', (address) => expect(isPublicAddress(address)).toBe(false));
