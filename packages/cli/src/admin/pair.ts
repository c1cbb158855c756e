import { authorityOf, ownerId, type Role } from '@parleyhq/core';
import { hashPairingCode, linkCodeMs, makeLinkCode } from '@parleyhq/server';
import { toJsonLine, toLine } from '../io/line.ts';
import { print } from '../io/output.ts';
import { askIdentity, isLoopback } from '../running-server/running-server.ts';
import type { DataFlags } from '../settings/flags.ts';
import { readSettings, type Settings, SettingsError } from '../settings/settings.ts';
import { findTokenHolder } from './token-holder.ts';
import { useTokens } from './use-tokens.ts';

export interface PairFlags extends DataFlags {
  readonly url?: string;
}

/**
 * `parley pair`: prints an address, and a QR code of it, that logs in one browser as the holder of a token: once, for ten minutes.
 * @param word - the id or name of a token, or `owner`
 * @throws SettingsError if the server has no address for other devices, or another server answers there
 */
export async function pair(word: string, { url, ...flags }: PairFlags): Promise<void> {
  const { json: _, ...places } = flags;
  const settings = await readSettings(places, process.env, process.cwd());
  const base = url === undefined ? findBase(settings) : readAddress(url);
  const fault = await findFault(base, settings);
  await useTokens(flags, async ({ tokens, links }) => {
    const { principal, credential, role, issuer } = findTokenHolder(word, await tokens.list());
    if (role === 'asker')
      throw new Error(`"${word}" is the token of a program that only asks: there is no page for it.`);
    if (issuer !== undefined)
      throw new Error(`"${word}" logs in at ${issuer}: open ${base} on the other device, and log in there.`);
    const now = Date.now();
    const code = makeLinkCode();
    const expiresAt = new Date(now + linkCodeMs).toISOString();
    await links.addCode(hashPairingCode(code), { principal, credential, expiresAt }, authorityOf(credential, now));
    const address = `${base}#code=${code}`;
    const text = flags.json
      ? toJsonLine({ url: address, expiresAt, ...(fault !== undefined && { fault }) })
      : await describe({ address, word, role, expiresAt, fault });
    await print(text, 'The address could not be written, and is not shown again: run the command again.');
  });
}

interface Made {
  readonly address: string;
  readonly word: string;
  readonly role: Role;
  readonly expiresAt: string;
  readonly fault: string | undefined;
}

async function describe({ address, word, role, expiresAt, fault }: Made): Promise<string> {
  const { renderUnicodeCompact } = await import('uqr');
  const until = new Date(expiresAt).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  const { protocol, hostname } = new URL(address);
  const isReadable = protocol === 'http:' && !isLoopback(hostname.replace(/[[\]]/g, ''));
  const lines = [
    `Scan this with the phone, or open the address there. It works once, until ${until}.`,
    `It logs the browser in as ${word === ownerId ? 'the owner' : word} (${role}): parley token logins lists it, parley token logout ends it.`,
    ...(isReadable ? [unencrypted] : []),
    ...(fault === undefined ? [] : [fault]),
  ];
  return `${renderUnicodeCompact(address)}\n\n  ${address}\n\n${lines.map((line) => `  ${toLine(line)}`).join('')}\n`;
}

const unencrypted =
  'This address is not encrypted: whoever can read the traffic of this network can read along and answer in your place.';

/** Returns the address at which other devices reach the server. @throws SettingsError if it has none */
function findBase({ publicUrl, behindProxy, allowedOrigins, port }: Settings): string {
  const named = publicUrl ?? (behindProxy ? allowedOrigins[0] : undefined);
  if (named !== undefined) return toBase(named);
  throw new SettingsError(
    `Only this computer reaches the server. Give it an address with HTTPS, for example in a tailnet: "tailscale serve --bg ${port}" prints one. Start the server with --behind-proxy and PARLEY_ALLOWED_ORIGINS=<that address>, and run this command with the same. Other ways: docs/remote.md.`,
  );
}

/** @throws SettingsError */
function readAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return toBase(url);
  throw new SettingsError(`--url: "${text}" is not an address such as https://parley.example.org.`);
}

/** Returns an address to which paths can be added: a proxy may serve Parley below a path. */
function toBase(address: string | URL): string {
  const base = new URL(address);
  base.pathname = base.pathname.replace(/\/*$/, '/');
  base.search = '';
  base.hash = '';
  return base.href;
}

const faults = {
  ours: undefined,
  untrusted:
    'This computer does not trust the certificate of this address, and the other device may not, either: it has to know its authority.',
  none: 'Nothing answers at this address from here: is the server running, and its proxy or tunnel?',
};

/**
 * Returns what is wrong with the address as seen from this computer, in a sentence; the other device may be elsewhere.
 * @throws SettingsError if another server answers there, whose page would be handed the code
 */
async function findFault(base: string, { dataDir, port }: Settings): Promise<string | undefined> {
  const answer = await askIdentity(dataDir, { base, port });
  if (answer === 'another')
    throw new SettingsError(
      `What answers at ${base} is not the server of ${dataDir}, or does not let this address in: name the address in PARLEY_ALLOWED_ORIGINS of the server, or its folder with --data-dir.`,
    );
  return faults[answer];
}
