import ipaddr from 'ipaddr.js';

/** Reachability of a host: this machine, a private network, the public internet, or unknown because it is a name. */
export type NetworkScope = 'loopback' | 'private' | 'public' | 'name';

/** The only globally routable IPv6 range (RFC 4291). */
const given = ipaddr.IPv6.parseCIDR('2000::/3');
/**
 * Ranges within it that are not public, although the library calls them unicast: documentation (RFC 9637) and IETF protocol
 * assignments.
 */
const kept = ['3fff::/20', '2001::/23'].map((block) => ipaddr.IPv6.parseCIDR(block));

/**
 * Whether a text is a public internet address in its usual form (RFC 6890 and its successors); false for anything but an address.
 */
export function isPublicAddress(address: string): boolean {
  const isUsual = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address);
  return isUsual && isPublic(ipaddr.parse(address));
}

/** @param host - a URL's host as `URL.hostname` returns it, with numeric addresses in their usual form */
export function networkScopeOf(host: string): NetworkScope {
  const name = host.replace(/^\[|\]$|\.$/g, '').toLowerCase();
  if (name === 'localhost' || name.endsWith('.localhost')) return 'loopback';
  if (!ipaddr.isValid(name)) return 'name';
  if (isHere(ipaddr.process(name).range())) return 'loopback'; // also as ::ffff:127.0.0.1
  return isPublic(ipaddr.parse(name)) ? 'public' : 'private';
}

/** Connecting to an unspecified address (0.0.0.0 or ::) reaches this machine. */
function isHere(range: string): boolean {
  return range === 'loopback' || range === 'unspecified';
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv4) return true;
  return address.match(given) && !kept.some((block) => address.match(block));
}

/** A result of a DNS lookup. */
export interface FoundAddress {
  readonly address: string;
  readonly family: number;
}

/** The `lookup` option of Node's connections. */
export type LookUp = (
  name: string,
  options: object,
  callback: (error: Error | null, found: string | FoundAddress[], family?: number) => void,
) => void;

/**
 * Wraps `lookUp` so that a connection gets public addresses only. The address that was checked is the one that is connected to,
 * so a name cannot resolve to another address in between (SEC6).
 * @param refuse - makes the error for a name without a public address
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
