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
import { findData, useTokens } from '../admin/use-tokens.ts';
import { askAtTerminal } from '../io/ask-person.ts';
import { addressOf, isLocal, readUrl, serverOf } from '../running-server/named-server.ts';
import { isOwnServer, requireTrustedAddress } from '../running-server/running-server.ts';
import type { DataFlags } from '../settings/flags.ts';
import { readSettings, SettingsError } from '../settings/settings.ts';
import { probeServer } from './probe-server.ts';
import { readSettingsFile, removeSettingsFile } from './settings-file.ts';

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
  readonly file: SettingsFile;
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
  const { dataDir, isNew } = await findData(flags);
  if (isLocal(new URL(url))) await isOwnServer(dataDir, addressOf(url)); // never send a token to another program on its port
  const known = await findAskers(flags, opened.settings);
  const [token = makeToken()] = known.keys();
  if (known.size > 0) return write(program, opened, { url, token }, flags);
  await write(program, opened, { url, token }, flags, async (use) => {
    if (isNew) await tryAccess(program.name, { url, token }); // a refusal leaves no new data directory
    await useTokens(flags, ({ tokens }) => use(tokens));
  });
}

/** `parley disconnect <program>`: removes what `connect` wrote and revokes its token (ASK7). @throws SettingsError, Error */
export async function disconnectProgram(program: AskingProgram, flags: DisconnectFlags): Promise<void> {
  const { file, settings } = open(program, flags);
  const changed = await settings.disconnect();
  if (changed === file.text) {
    process.stdout.write(`${program.name} is not connected: ${file.path} has nothing of Parley's.\n`);
    return;
  }
  await requireYes(flags, file, `What lets ${program.name} ask here would be removed from ${file.path}.\n`);
  const known = await findAskers(flags, settings);
  if (changed === undefined) removeSettingsFile(file);
  else file.write(changed);
  const ids = [...known.values()].map(({ id }) => id);
  if (ids.length > 0)
    await useTokens(flags, async ({ tokens }) => {
      for (const id of ids) await tokens.remove(id);
    });
  const revoked = ids.map((id) => `Revoked ${id}.\n`).join('');
  const unknown = known.size < settings.tokens.length ? unknownToken : '';
  const deleted = changed === undefined ? 'Nothing else was in the file, so it was deleted, too.\n' : '';
  process.stdout.write(
    `Removed what let ${program.name} ask from ${file.path}. ${describeLate(program)}\n${deleted}${unknown}${revoked}`,
  );
}

const unknownToken =
  'Its token is not known here as one that may only ask: it was revoked, has expired, or is of another server. In that last case, revoke it there.\n';

/** What sessions that run already do after `disconnect`. */
function describeLate({ readsChanges = false }: AskingProgram): string {
  return readsChanges
    ? 'Sessions that run may report a failed hook for some seconds.'
    : 'Sessions that run may report a failed hook until their next start.';
}

function open(program: AskingProgram, { settings }: DisconnectFlags): Opened {
  const file = readSettingsFile(settings ?? program.findSettings(process.env));
  return { file, settings: program.read(file) };
}

/**
 * Asks for consent, tries the connection and writes the settings file.
 * @param useStore - opens where to create the token first, if it is a new one; it is removed again if anything fails
 */
async function write(
  program: AskingProgram,
  { file, settings }: Opened,
  door: ServerAccess,
  flags: ConnectFlags,
  useStore?: (use: (tokens: TokenStore) => Promise<void>) => Promise<void>,
): Promise<void> {
  const { name, describe, about = '', readsChanges = false } = program;
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
    file,
    `This would be added to ${file.path}${instead}, which only you could read then:\n\n${shown}\n\n${about}`,
  );
  const put = async (made?: AccessToken) => {
    const note = await tryAccess(name, door);
    file.write(changed);
    const what = made ? ` with the token ${made.id}, which may only ask` : '';
    const running = readsChanges ? 'within seconds' : 'from their next start on';
    process.stdout.write(
      `${name} asks at ${url}${what}. Sessions that run already ask ${running}.\n${flags.yes ? about : ''}${note}`,
    );
  };
  if (!useStore) return put();
  await useStore(async (tokens) => {
    const made = await makeAsker(tokens, name, token);
    try {
      await put(made);
    } catch (error) {
      await tokens.remove(made.id);
      throw error;
    }
  });
}

/** @returns a note for people if no server answers @throws Error if another program answers, or the token may not ask there */
async function tryAccess(name: string, door: ServerAccess): Promise<string> {
  if (await probeServer(door)) return '';
  return `No server answers there now: until one does, only ${name}'s own prompt asks.\n`;
}

/**
 * Finds the settings' tokens that are askers in the data directory: only these may be used again or revoked. Creates no directory.
 * @throws SettingsError
 */
async function findAskers(flags: DataFlags, { tokens: given }: ProgramSettings): Promise<Map<string, AccessToken>> {
  const found = new Map<string, AccessToken>();
  if (given.length === 0 || (await findData(flags)).isNew) return found;
  await useTokens(flags, async ({ tokens }) => {
    for (const token of given) {
      const record = await tokens.find({ hash: hashToken(token) }, Date.now());
      if (record?.role === 'asker') found.set(token, record);
    }
  });
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
async function requireYes({ yes = false }: DisconnectFlags, { path }: SettingsFile, change: string): Promise<void> {
  if (yes) return;
  const ask = askAtTerminal(`Write it to ${path}?`); // what is shown may be longer than the screen
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
