import { isIP } from 'node:net';

/** Whether the host of an address is a name, and not only numbers: passkeys need one (SIGN2). */
export function hasHostName({ hostname }: Pick<URL, 'hostname'>): boolean {
  return isIP(hostname.replace(/[[\]]/g, '')) === 0;
}

/** Returns a name for the host of a URL on this machine, if it has one: `localhost` does not mean others, such as 127.0.0.2. */
export function nameLoopback(host: string): string {
  return host === '127.0.0.1' || host === '[::1]' ? 'localhost' : host;
}
