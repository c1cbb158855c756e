import { randomBytes, timingSafeEqual } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { proveIdentity } from '@parleyhq/server';
import { readPlainFile } from '../io/plain-file.ts';
import { isOwnDataDir } from '../settings/data-dir.ts';
import { type Flags, openTrust, type Settings } from '../settings/settings.ts';
import { fileSubject } from '../settings/trust.ts';
import { toUrlHost } from './url-host.ts';

/** The key by which a data directory's server is recognised, whatever its port. Made at the first start, for its owner alone. */
export function makeServerKey(dataDir: string): string {
  const known = readServerKey(dataDir);
  if (known !== undefined) return known;
  const key = randomBytes(32).toString('base64url');
  writeFileSync(keyFile(dataDir), `${key}\n`, { mode: 0o600, flag: 'wx' });
  return key;
}

/** Nothing answers where the server should be. */
export class NoServerError extends Error {
  /** The message without what to do about it, for a command that tries again. */
  readonly fact: string;

  constructor({ host, port }: Pick<Settings, 'host' | 'port'>, options?: { readonly cause: unknown }) {
    const fact = `No server answers at ${host}:${port}.`;
    super(`${fact} ${placeHint}`, options);
    this.fact = fact;
  }
}

/** What to do where nobody answers. */
export const placeHint = 'If it listens elsewhere, say where with --host and --port.';

/** What to do where the server wants the token of a program that asks. */
export const askTokenHint =
  'Set PARLEY_ASK_TOKEN, or name it by --token: "parley token create --role asker" makes one. If you gave one, this server does not know it: it was revoked, or is of another server or an earlier start.';

/** What to do where the server wants a token. */
export const tokenHint =
  'Set PARLEY_TOKEN, or name it by --token: the server prints one when it starts, and "parley token create" makes others. If you gave one, this server does not know it: it was revoked, or is of another server or an earlier start.';

/** Something else than a server of ours answers. */
export class StrangerError extends Error {
  constructor({ host, port }: Pick<Settings, 'host' | 'port'>) {
    super(`What listens at ${host}:${port} is not a Parley server that can be asked.`);
  }
}

/**
 * Whether the token may be sent: what listens here must be the server of the data directory, not whoever took its port. Another
 * machine's server cannot be checked like this, nor one whose data is not here; a token on the command line is meant for whom it
 * names.
 * @throws NoServerError; Error where something else listens; SettingsError where a config file that is not trusted says where it is sent
 */
export async function requireOwnServer(settings: Settings, flags: Flags): Promise<void> {
  const { dataDir, host, isPlaceFound, isPortKept, port, token } = settings;
  if (token === undefined) return;
  await requireTrustedPlace(settings);
  const isMeant = flags.token !== undefined && flags.dataDir === undefined && !isPlaceFound && !isPortKept;
  if (isMeant || !isLoopback(host)) return;
  if (!(await isOwnServer(dataDir, { host, port }))) throw new NoServerError(settings);
}

/** @throws SettingsError where only a config file that nobody named and nobody trusts says where the server is (SEC10) */
export async function requireTrustedPlace(settings: Settings): Promise<void> {
  const { configFile, dataDir, host, isPlaceFound } = settings;
  if (!isPlaceFound || configFile === undefined) return;
  const trust = openTrust(process.env, false);
  const key = isLoopback(host) ? readServerKey(dataDir) : undefined;
  if (key === undefined || !isOwnDataDir(settings, trust))
    await trust.require([fileSubject(configFile, 'a config file that says where the token is sent')]);
}

/**
 * Whether a server listens here, and that of the data directory; where the directory has never had one, any passes.
 * @returns false where nothing answers @throws Error where something else listens
 */
export async function isOwnServer(dataDir: string, { host, port }: Pick<Settings, 'host' | 'port'>): Promise<boolean> {
  const key = readServerKey(dataDir);
  if (key === undefined) return true;
  const nonce = randomBytes(24).toString('base64url');
  const url = `http://${toUrlHost(host)}:${port}/api/identity?nonce=${nonce}`;
  const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(5000) }).catch(() => undefined);
  if (!answer) return false;
  const { proof }: { proof?: unknown } = answer.ok ? await answer.json().catch(() => ({})) : {};
  if (isEqual(String(proof), proveIdentity(key, { nonce, port }) ?? '')) return true;
  throw new Error(
    `What listens at ${host}:${port} is not the server of ${dataDir}, and was not sent the token. Name its folder with --data-dir.`,
  );
}

function readServerKey(dataDir: string): string | undefined {
  return readPlainFile(keyFile(dataDir))?.trim();
}

function keyFile(dataDir: string): string {
  return join(dataDir, 'parley.key');
}

function isLoopback(host: string): boolean {
  return ['localhost', '::1', '0.0.0.0', '::'].includes(host) || host.startsWith('127.');
}

function isEqual(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
