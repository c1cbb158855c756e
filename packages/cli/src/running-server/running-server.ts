import { randomBytes, timingSafeEqual } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { proveIdentity } from '@parleyhq/server';
import { readPlainFile } from '../io/plain-file.ts';
import { explainedBy, type Topic } from '../io/topic.ts';
import { isOwnDataDir } from '../settings/data-dir.ts';
import { type Flags, openTrust, type Settings } from '../settings/settings.ts';
import { fileSubject } from '../settings/trust.ts';
import { toUrlHost } from './url-host.ts';

/** Returns the key that identifies a data directory's server; the first start creates it, readable only by its owner. */
export function makeServerKey(dataDir: string): string {
  const known = readServerKey(dataDir);
  if (known !== undefined) return known;
  const key = randomBytes(32).toString('base64url');
  writeFileSync(keyFile(dataDir), `${key}\n`, { mode: 0o600, flag: 'wx' });
  return key;
}

/** Nothing answers at the server's address. */
export class NoServerError extends Error {
  readonly topic: Topic = 'no-server';
  /** The message without advice, for a command that tries again. */
  readonly fact: string;

  /** @param place - its host and port @param fact - the message without advice */
  constructor(place: string, options?: { readonly cause: unknown }, fact = `No server answers at ${place}.`) {
    super(`${fact} ${addressHint}`, options);
    this.fact = fact;
  }
}

/** Statuses by which a proxy reports that the server behind it does not answer. */
const gateway: ReadonlySet<number> = new Set([502, 503, 504]);

/** Returns the error for an answer that is not Parley's: of a proxy without its server, or of another program. */
export function explainStranger(place: string, status: number): Error {
  if (!gateway.has(status)) return new NotParleyError(place);
  const fact = `A proxy answers at ${place} with ${status}, and no server behind it.`;
  return explainedBy('proxy-alone', new NoServerError(place, undefined, fact));
}

/** Advice if no server answers. */
export const addressHint = 'If it listens elsewhere, say where with --host and --port, or with --url.';

/** Error codes of a connection that fails because nothing listens. */
export const noConnection: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Whether the code of a failed connection is about the server's certificate. */
export function isAboutCertificate(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code);
}

/** Returns why a connection failed, if it is because of the server's certificate. */
export function explainCertificate(url: string, fault: NodeJS.ErrnoException): Error | undefined {
  if (!isAboutCertificate(fault.code ?? '')) return undefined;
  const words = `This machine does not trust the certificate of ${url} (${fault.message}). NODE_EXTRA_CA_CERTS names the authority of one of your own.`;
  return explainedBy('certificate', new Error(words, { cause: fault }));
}

/** Returns why a request of `fetch` was not sent; undefined if at least a part may have been. */
export function explainUnsent(
  server: { readonly url: string; readonly place: string },
  fault: unknown,
): Error | undefined {
  const cause = (fault instanceof Error ? (fault.cause ?? {}) : {}) as NodeJS.ErrnoException;
  const { code = '', message } = cause;
  if (code.startsWith('HPE_')) return new NotParleyError(server.place); // it does not speak HTTP
  const isNobody = noConnection.has(code) || message === 'bad port'; // `fetch` refuses ports of other protocols
  return isNobody ? new NoServerError(server.place, { cause: fault }) : explainCertificate(server.url, cause);
}

/** Advice if the server needs an asker's token. */
export const askTokenHint =
  'Set PARLEY_ASK_TOKEN, or pass it with --token: "parley token create --role asker" makes one. If you gave one, this server does not know it: it was revoked, or belongs to another server or an earlier start.';

/** Advice if the server needs a token. */
export const tokenHint =
  'Set PARLEY_TOKEN, or pass it with --token: the server prints one when it starts, and "parley token create" makes others. If you gave one, this server does not know it: it was revoked, or belongs to another server or an earlier start.';

/** Something other than a Parley server answers. */
export class NotParleyError extends Error {
  readonly topic: Topic = 'not-parley';

  /** @param place - its host and port */
  constructor(place: string) {
    super(`What listens at ${place} is not a Parley server that can be asked.`);
  }
}

/**
 * Checks that the token may be sent: a program that listens on this machine must be the server of the data directory, not another
 * one on its port. Not checked are servers on other machines, and addresses that the user named together with the token.
 * @throws NoServerError; Error if another program listens; SettingsError if the address is from a config file that is not trusted
 */
export async function requireOwnServer(settings: Settings, flags: Flags): Promise<void> {
  const { dataDir, host, isAddressFound: isPlaceFound, isPortKept, port, token } = settings;
  if (token === undefined) return;
  await requireTrustedAddress(settings);
  const isMeant = flags.token !== undefined && flags.dataDir === undefined && !isPlaceFound && !isPortKept;
  if (isMeant || !isLoopback(host)) return;
  if (!(await isOwnServer(dataDir, { host, port }))) throw new NoServerError(`${host}:${port}`);
}

/** @throws SettingsError if the server's address is from a config file that was neither named nor trusted (SEC10) */
export async function requireTrustedAddress(settings: Settings): Promise<void> {
  const { configFile, dataDir, host, isAddressFound: isPlaceFound } = settings;
  if (!isPlaceFound || configFile === undefined) return;
  const trust = openTrust(process.env, false);
  const key = isLoopback(host) ? readServerKey(dataDir) : undefined;
  if (key === undefined || !isOwnDataDir(settings, trust))
    await trust.require([fileSubject(configFile, 'a config file that says where the token is sent')]);
}

/**
 * Checks whether the data directory's server listens at an address; true without a check if the directory has never had a server.
 * @returns false if nothing answers
 * @throws Error if something else listens there
 */
export async function isOwnServer(dataDir: string, { host, port }: Pick<Settings, 'host' | 'port'>): Promise<boolean> {
  if (readServerKey(dataDir) === undefined) return true;
  const answer = await askIdentity(dataDir, { base: `http://${toUrlHost(host)}:${port}/`, port });
  if (answer === 'another')
    throw explainedBy(
      'another-server',
      new Error(
        `What listens at ${host}:${port} is not the server of ${dataDir}, and was not sent the token. Name its folder with --data-dir.`,
      ),
    );
  return answer === 'ours';
}

/**
 * Asks who listens at an address: the server of the data directory, which listens on `port` and perhaps has a proxy in front of
 * it, another program, a server with a certificate that this machine does not trust, or nobody.
 */
export async function askIdentity(
  dataDir: string,
  { base, port }: { readonly base: string; readonly port: number },
): Promise<'ours' | 'another' | 'untrusted' | 'none'> {
  const nonce = randomBytes(24).toString('base64url');
  const url = new URL(`api/identity?nonce=${nonce}`, base);
  const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(5000) }).catch(
    ({ cause }: { cause?: NodeJS.ErrnoException }) => (isAboutCertificate(cause?.code ?? '') ? 'untrusted' : 'none'),
  );
  if (typeof answer === 'string') return answer;
  const { proof }: { proof?: unknown } = answer.ok ? await answer.json().catch(() => ({})) : {};
  const key = readServerKey(dataDir) ?? '';
  return isEqual(String(proof), proveIdentity(key, { nonce, port }) ?? '') ? 'ours' : 'another';
}

function readServerKey(dataDir: string): string | undefined {
  return readPlainFile(keyFile(dataDir))?.trim();
}

function keyFile(dataDir: string): string {
  return join(dataDir, 'parley.key');
}

/** Whether a server that is bound to `host` can be reached on this machine. */
export function isLoopback(host: string): boolean {
  return ['localhost', '::1', '0.0.0.0', '::'].includes(host) || host.startsWith('127.');
}

function isEqual(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
