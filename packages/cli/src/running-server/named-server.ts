import { SettingsError } from '@parleyhq/server';
import type { ServerFlags } from '../settings/flags.ts';
import { findAskToken, readSettings, type Settings } from '../settings/settings.ts';
import { requireOwnServer } from './running-server.ts';
import { toUrlHost } from './url-host.ts';

/** The running server that a command's flags, variables and config file name. */
export interface NamedServer {
  /** Its address without a slash at the end, such as `http://127.0.0.1:7420`. */
  readonly url: string;
  /** Its host and port, as messages name it. */
  readonly place: string;
  readonly token: string | undefined;
  readonly settings: Settings;
  /** Checks that the token may be sent there. @throws what `requireOwnServer` throws */
  readonly check: () => Promise<void>;
}

/**
 * Finds the server that the flags name: by its address, or as the one that the same settings would start.
 * @param isAsking - whether the command only asks, so that an asker's token comes first (ASK2)
 * @throws SettingsError
 */
export async function findServer(given: ServerFlags, { isAsking = false } = {}): Promise<NamedServer> {
  const { url, host, port, token, dataDir, config, json } = given;
  const flags: ServerFlags = JSON.parse(JSON.stringify({ host, port, token, dataDir, config, json })); // drops the undefined ones
  const found = await readSettings(flags, process.env, process.cwd());
  const settings = isAsking ? { ...found, token: findAskToken(flags, process.env, found) } : found;
  if (url === undefined) return serverOf(settings, flags);
  refusePlace(flags);
  return serverAt(readUrl(url), settings, flags);
}

/** @throws SettingsError if flags name a place although an address does */
export function refusePlace({ host, port }: Pick<ServerFlags, 'host' | 'port'>): void {
  if (host !== undefined || port !== undefined)
    throw new SettingsError('--url: the address has the host and the port, so --host and --port cannot be given, too.');
}

/** The server that these settings would start. */
export function serverOf(settings: Settings, flags: ServerFlags): NamedServer {
  const { host, port, token } = settings;
  const url = `http://${toUrlHost(host)}:${port}`;
  return { url, place: `${host}:${port}`, token, settings, check: () => requireOwnServer(settings, flags) };
}

/** An encrypted connection proves whose server it is; on this machine the server itself must. */
function serverAt(url: string, settings: Settings, flags: ServerFlags): NamedServer {
  const { host: place, protocol } = new URL(url);
  const named = { ...settings, ...addressOf(url), isAddressFound: false, isPortKept: false };
  const check = async () => (protocol === 'https:' ? undefined : requireOwnServer(named, flags));
  return { url, place, token: settings.token, settings: named, check };
}

/** @throws SettingsError if the address would send the token unencrypted over a network */
export function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !(isLocal(url) || url.protocol === 'https:'))
    throw new SettingsError(`--url: must be an https address, or an http address of this machine, not "${text}".`);
  return `${url.origin}${url.pathname.replace(/\/(s\/.*|inbox)?$/, '')}`; // the address of a page is one of its server, too
}

/** Whether an address is one of this machine, without encryption. */
export function isLocal({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** The host and port of an address. */
export function addressOf(url: string): { readonly host: string; readonly port: number } {
  const { hostname, port, protocol } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || (protocol === 'https:' ? 443 : 80)) };
}
