import { BlockList, isIP } from 'node:net';

/** Addresses that are not of the public internet (RFC 6890 and its successors): this machine, its networks, and what stands for others. */
const reserved = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  reserved.addSubnet(network, prefix, 'ipv4');

/** Of IPv6 only this is given to anybody; within it some is not. */
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16], // 6to4 holds an IPv4 address of any kind
  ['3fff::', 20],
] as const)
  reserved.addSubnet(network, prefix, 'ipv6');

/** Whether an address is one of the public internet. What is no address is not. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !reserved.check(address, 'ipv4');
  return version === 6 && global6.check(address, 'ipv6') && !reserved.check(address, 'ipv6');
}
