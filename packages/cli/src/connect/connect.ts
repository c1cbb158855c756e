import { randomBytes } from 'node:crypto';
import {
  type AccessToken,
  type AskingProgram,
  type ProgramSettings,
  type ServerAccess,
  type SettingsFile,
  StoreError,
  type TokenStore,
} from '@parleyhq/core';
import { hashToken, makeToken } from '@parleyhq/server';
import { useTokens } from '../admin/use-tokens.ts';
import { askAtTerminal } from '../io/ask-person.ts';
import { addressOf, isLocal, readUrl, serverOf } from '../running-server/named-server.ts';
import { isOwnServer, requireTrustedAddress } from '../running-server/running-server.ts';
import type { DataFlags } from '../settings/flags.ts';
import { readSettings, SettingsError } from '../settings/settings.ts';
import { probeServer } from './probe-server.ts';
import { type OpenedFile, readSettingsFile, removeSettingsFile } from './settings-file.ts';

/** Flags of `parley disconnect <program>`. */
export interface DisconnectFlags extends DataFlags {
  readonly settings?: string;
  readonly yes?: boolean;
}

/** Flags of `parley connect <program>`. */
export interface ConnectFlags extends DisconnectFlags {
  readonly url?: string;
  readonly token?: string;
  readonly print?: boolean;
}

/** A program's settings file as it was read. */
interface Opened {
  readonly file: OpenedFile;
  readonly settings: ProgramSettings;
}

/**
 * `parley connect <program>`: lets the program send its permission requests here (ASK7).
 * @returns the settings file afterwards; undefined if they were only printed
 * @throws SettingsError, Error
 */
export async function connectProgram(program: AskingProgram, flags: ConnectFlags): Promise<SettingsFile | undefined> {
  const url = flags.url === undefined ? await findUrl(flags) : readUrl(flags.url);
  if (flags.print) {
    const variable = 'PARLEY_ASK_TOKEN';
    process.stdout.write(`${program.describe({ url, token: `$${variable}`, variable }).trimEnd()}\n`);
    return undefined;
  }
  const opened = open(program, flags);
  if (flags.token !== undefined) await write(program, opened, { url, token: flags.token }, flags);
  else await connectWithOwnToken(program, opened, url, flags);
  return open(program, flags).file;
}

async function connectWithOwnToken(
  program: AskingProgram,
  opened: Opened,
  url: string,
  flags: ConnectFlags,
): Promise<void> {
  await useTokens(flags, async ({ tokens }, dataDir) => {
    if (isLocal(new URL(url))) await isOwnServer(dataDir, addressOf(url)); // never send a token to another program on its port
    const known = await findAskers(tokens, opened.settings);
    const [token = makeToken()] = known.keys();
    await write(program, opened, { url, token }, flags, known.size === 0 ? tokens : undefined);
  });
}

/** `parley disconnect <program>`: removes what `connect` wrote and revokes its token (ASK7). @throws SettingsError, Error */
export async function disconnectProgram(program: AskingProgram, flags: DisconnectFlags): Promise<void> {
  const { file, settings } = open(program, flags);
  const changed = settings.disconnect();
  if (changed === (file.text ?? '')) {
    process.stdout.write(`${program.name} is not connected: ${file.path} has nothing of Parley's.\n`);
    return;
  }
  await requireYes(flags, `What lets ${program.name} ask here would be removed from ${file.path}.\n`);
  await useTokens(flags, async ({ tokens }) => {
    const known = await findAskers(tokens, settings);
    const isLeft = file.isLinked || !program.isBlank(changed);
    if (isLeft) file.write(changed);
    else removeSettingsFile(file);
    for (const { id } of known.values()) await tokens.remove(id);
    const revoked = [...known.values()].map(({ id }) => `Revoked ${id}.\n`).join('');
    const isForeign = known.size < settings.tokens.length;
    const foreign = isForeign ? 'Its token belongs to another data directory: revoke it there.\n' : '';
    const deleted = isLeft ? '' : 'Nothing else was in the file, so it was deleted, too.\n';
    process.stdout.write(`Removed what let ${program.name} ask from ${file.path}.\n${deleted}${revoked}${foreign}`);
  });
}

function open(program: AskingProgram, { settings }: DisconnectFlags): Opened {
  const file = readSettingsFile(settings ?? program.findSettings(process.env));
  return { file, settings: program.read(file) };
}

/**
 * Asks for consent, tries the connection and writes the settings file.
 * @param tokens - where to create the token first, if it is a new one; it is removed again if anything fails
 */
async function write(
  { name, describe, about = '' }: AskingProgram,
  { file, settings }: Opened,
  door: ServerAccess,
  flags: ConnectFlags,
  tokens?: TokenStore,
): Promise<void> {
  const { url, token } = door;
  const changed = settings.connect(door);
  if (changed === file.text) {
    process.stdout.write(`${name} is connected to ${url} already.\n${await tryAccess(name, door)}`);
    return;
  }
  const shown = describe({ url, token: '<a token that may only ask>' }).trimEnd();
  const instead = settings.tokens.length === 0 ? '' : ' in place of what an earlier connection wrote';
  await requireYes(
    flags,
    `This would be added to ${file.path}${instead}, which only you could read then:\n\n${shown}\n\n${about}`,
  );
  const made = tokens && (await makeAsker(tokens, name, token));
  try {
    const note = await tryAccess(name, door);
    file.write(changed);
    const what = made ? ` with the token ${made.id}, which may only ask` : '';
    process.stdout.write(
      `${name} asks at ${url}${what}. Sessions that run already ask from their next start on.\n${flags.yes ? about : ''}${note}`,
    );
  } catch (error) {
    if (made) await tokens?.remove(made.id);
    throw error;
  }
}

/** @returns a note for people if no server answers @throws Error if another program answers, or the token may not ask there */
async function tryAccess(name: string, door: ServerAccess): Promise<string> {
  if (await probeServer(door)) return '';
  return `No server answers there now: until one does, only ${name}'s own prompt asks.\n`;
}

/** Finds the settings' tokens that are askers in this data directory: only these may be used again or revoked. */
async function findAskers(store: TokenStore, { tokens }: ProgramSettings): Promise<Map<string, AccessToken>> {
  const found = new Map<string, AccessToken>();
  for (const token of tokens) {
    const record = await store.find({ hash: hashToken(token) }, Date.now());
    if (record?.role === 'asker') found.set(token, record);
  }
  return found;
}

async function makeAsker(tokens: TokenStore, name: string, token: string): Promise<AccessToken> {
  const id = randomBytes(6).toString('hex');
  const asker: AccessToken = { id, role: 'asker', createdAt: new Date().toISOString(), name };
  try {
    await tokens.add(hashToken(token), asker);
    return asker;
  } catch (error) {
    if (!(error instanceof StoreError && error.code === 'conflict')) throw error;
    const named = { ...asker, name: `${name} ${id}` }; // another machine or settings file has the plain name
    await tokens.add(hashToken(token), named);
    return named;
  }
}

/** @throws SettingsError */
async function requireYes({ yes = false }: DisconnectFlags, change: string): Promise<void> {
  if (yes) return;
  const ask = askAtTerminal('Write it?');
  if (!ask) throw new SettingsError(`${change}Nothing was changed: nobody is at the terminal to agree. --yes does.`);
  if (!(await ask(change))) throw new SettingsError('Nothing was changed.');
}

/**
 * Returns the address in the server's settings. It must be trusted: whatever listens there decides what the program may do.
 * @throws SettingsError
 */
async function findUrl({ dataDir, config }: ConnectFlags): Promise<string> {
  const flags = { ...(dataDir !== undefined && { dataDir }), ...(config !== undefined && { config }) };
  const settings = await readSettings(flags, process.env, process.cwd());
  if (settings.port === 0)
    throw new SettingsError('--url: name the address of the server, because its settings choose a free port.');
  await requireTrustedAddress(settings);
  return readUrl(serverOf(settings, flags).url);
}
