import { expect, test } from 'vitest';
import { type FoundAddress, isPublicAddress, type LookUp, lookUpPublic, networkScopeOf } from './addresses.ts';

test.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '192.169.0.1', '2606:4700:4700::1111', '2a00:1450:4001::200e'])(
  '[NTF3, SEC6] %s is a public internet address',
  (address) => expect(isPublicAddress(address)).toBe(true),
);

test.each([
  ...['127.0.0.1', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254', '100.64.0.1'],
  ...['0.0.0.0', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', '198.18.0.1', '198.19.255.255'],
  ...['192.0.0.1', '192.0.2.1', '192.88.99.1', '198.51.100.1', '203.0.113.1'],
  ...['::1', '::', 'fe80::1', 'fec0::1', 'fc00::1', 'fd12::1', 'ff02::1', '::127.0.0.1', '5f00::1', '100::1'],
  ...['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b:1::1'],
  ...['2001:db8::1', '2002:7f00:1::', '2001::1', '2001:10::1', '2001:20::1', '3fff::1', '4000::1', 'fe80::1%eth0'],
  ...['example.org', '', '127.1', '0x7f000001', '2130706433', '017700000001', '8.8.8.8.', ' 8.8.8.8'],
])('[NTF3, SEC6] %s is not', (address) => expect(isPublicAddress(address)).toBe(false));

test.each([
  ['http://localhost/', 'loopback'],
  ['http://LOCALHOST./', 'loopback'],
  ['http://a.localhost/', 'loopback'],
  ['http://127.0.0.1./', 'loopback'],
  ['http://127.1/', 'loopback'],
  ['http://0x7f000001/', 'loopback'],
  ['http://2130706433/', 'loopback'],
  ['http://[::1]/', 'loopback'],
  ['http://[::ffff:127.0.0.1]/', 'loopback'],
  ['http://[::ffff:10.0.0.1]/', 'private'],
  ['http://[64:ff9b::a00:1]/', 'private'],
  ['http://[2002:a00:1::]/', 'private'],
  ['http://10.0.0.1/', 'private'],
  ['http://100.64.0.1/', 'private'],
  ['http://169.254.169.254./', 'private'],
  ['http://224.0.0.1/', 'private'],
  ['http://0.0.0.0/', 'loopback'],
  ['http://0/', 'loopback'],
  ['http://[::]/', 'loopback'],
  ['http://[::ffff:0.0.0.0]/', 'loopback'],
  ['http://8.8.8.8/', 'public'],
  ['http://[2606:4700:4700::1111]/', 'public'],
  ['http://example.org/', 'name'],
  ['http://localhost.example.org/', 'name'],
])('[SEC6] %s is %s', (url, place) => expect(networkScopeOf(new URL(url).hostname)).toBe(place));

const names: Readonly<Record<string, FoundAddress[]>> = {
  'open.example': [
    { address: '10.0.0.1', family: 4 },
    { address: '8.8.8.8', family: 4 },
    { address: '2606:4700::1', family: 6 },
  ],
  'inside.example': [{ address: '::1', family: 6 }],
};
const lookUp = lookUpPublic(
  (name, _, callback) => {
    const found = names[name];
    if (found) callback(null, found);
    else callback(new Error('unknown'), []);
  },
  (name) => new Error(`no ${name}`),
);
const find = (name: string, options: object) =>
  new Promise<unknown[]>((resolve) =>
    lookUp(name, options, (...found: Parameters<Parameters<LookUp>[2]>) => resolve(found)),
  );

test('[NTF3, SEC6] a look-up returns the public addresses of a name only', async () => {
  expect(await find('open.example', { all: true })).toEqual([null, names['open.example']?.slice(1)]);
  expect(await find('open.example', {})).toEqual([null, '8.8.8.8', 4]);
  expect(await find('inside.example', {})).toEqual([new Error('no inside.example'), []]);
  expect(await find('other.example', {})).toEqual([new Error('unknown'), []]);
});
