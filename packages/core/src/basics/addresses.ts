import ipaddr from 'ipaddr.js';

/** Where a host is: on this machine, in a network that is not of everybody, in the public internet, or wherever its name leads. */
export type Place = 'loopback' | 'private' | 'public' | 'name';

/** Of IPv6 only this is given to anybody (RFC 4291). */
const given = ipaddr.IPv6.parseCIDR('2000::/3');
/** And of that not this, which the library takes for ordinary: examples (RFC 9637), and what the IETF keeps for its protocols. */
const kept = ['3fff::/20', '2001::/23'].map((block) => ipaddr.IPv6.parseCIDR(block));

/** Whether an address, in its usual form, is one of the public internet (RFC 6890 and its successors). What is no address is not. */
export function isPublicAddress(address: string): boolean {
  const isUsual = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address);
  return isUsual && isPublic(ipaddr.parse(address));
}

/** @param host - of a URL, as `URL.hostname` has it: its numbers are in their usual form */
export function placeOf(host: string): Place {
  const name = host.replace(/^\[|\]$|\.$/g, '').toLowerCase();
  if (name === 'localhost' || name.endsWith('.localhost')) return 'loopback';
  if (!ipaddr.isValid(name)) return 'name';
  if (isHere(ipaddr.process(name).range())) return 'loopback'; // also as ::ffff:127.0.0.1
  return isPublic(ipaddr.parse(name)) ? 'public' : 'private';
}

/** Whoever connects to no address, as 0.0.0.0 or ::, is connected to this machine. */
function isHere(range: string): boolean {
  return range === 'loopback' || range === 'unspecified';
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv4) return true;
  return address.match(given) && !kept.some((block) => address.match(block));
}

/** What a look-up of a name finds. */
export interface FoundAddress {
  readonly address: string;
  readonly family: number;
}

/** Node's `lookup`, as its connections call it. */
export type LookUp = (
  name: string,
  options: object,
  callback: (error: Error | null, found: string | FoundAddress[], family?: number) => void,
) => void;

/**
 * Looks up names for a connection, and finds public addresses alone: the one that is checked is the one that is connected to, so that a
 * name cannot change its meaning in between (SEC6).
 * @param refuse - what fails where a name has none
 */
export function lookUpPublic(lookUp: LookUp, refuse: (name: string) => Error): LookUp {
  return (name, options, callback) => {
    lookUp(name, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const open = (found as FoundAddress[]).filter(({ address }) => isPublicAddress(address));
      const [first] = open;
      if (!first) return callback(refuse(name), []);
      if ('all' in options && options.all === true) return callback(null, open);
      return callback(null, first.address, first.family);
    });
  };
}
