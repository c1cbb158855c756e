import { randomBytes } from 'node:crypto';
import { type AccessToken, StoreError, type TokenStore } from '@parleyhq/core';
import { hashToken, makeToken } from '@parleyhq/server';
import { askAtTerminal } from './ask-person.ts';
import {
  addHooks,
  type ClaudeSettings,
  findClaudeSettings,
  findTokens,
  makeHooks,
  printSettings,
  readClaudeSettings,
  removeHooks,
  writeClaudeSettings,
} from './claude-settings.ts';
import { readSettings, SettingsError } from './settings.ts';
import { type TokenFlags, useTokens } from './token.ts';
import { toUrlHost } from './url-host.ts';

/** Flags of `parley disconnect claude`. */
export interface DisconnectFlags extends Omit<TokenFlags, 'json'> {
  readonly settings?: string;
  readonly yes?: boolean;
}

/** Flags of `parley connect claude`. */
export interface ConnectFlags extends DisconnectFlags {
  readonly url?: string;
  readonly print?: boolean;
}

/** `parley connect claude`: its requests for permission come here from now on (ASK7). @throws SettingsError */
export async function connectClaude(flags: ConnectFlags): Promise<void> {
  const url = flags.url === undefined ? await findUrl(flags) : readUrl(flags.url);
  if (flags.print) {
    process.stdout.write(`${JSON.stringify({ hooks: makeHooks(url, '$PARLEY_ASK_TOKEN') }, undefined, 2)}\n`);
    return;
  }
  const settings = openSettings(flags);
  const others = removeHooks(settings.members);
  await useTokens(flags, async ({ tokens }) => {
    const known = await findAskers(tokens, settings);
    const [token = makeToken()] = known.keys();
    const changed = printSettings(addHooks(others, makeHooks(url, token)), settings);
    if (changed === settings.text) {
      process.stdout.write(`Claude Code is connected to ${url} already.\n`);
      return;
    }
    const shown = JSON.stringify({ hooks: makeHooks(url, '<a token that may only ask>') }, undefined, 2);
    const instead = others === settings.members ? '' : ' in place of the hooks of an earlier connection';
    await requireYes(
      flags,
      `This is added to ${settings.file}${instead}, which only you can read then:\n\n${shown}\n\n`,
    );
    const made = known.size === 0 ? await makeAsker(tokens, token) : undefined;
    try {
      writeClaudeSettings(settings, changed);
    } catch (error) {
      if (made) await tokens.remove(made.id);
      throw error;
    }
    const what = made ? ` with the token ${made.id}, which may only ask` : '';
    process.stdout.write(
      `Claude Code asks at ${url}${what}. Sessions that run already ask from their next start on.\n`,
    );
  });
}

/** `parley disconnect claude`: takes back what `connect` wrote, and the token with it (ASK7). @throws SettingsError */
export async function disconnectClaude(flags: DisconnectFlags): Promise<void> {
  const settings = openSettings(flags);
  const given = findTokens(settings.members);
  if (given.length === 0) {
    process.stdout.write(`Claude Code is not connected: ${settings.file} has no hook of Parley's.\n`);
    return;
  }
  await requireYes(flags, `The hooks that ask Parley are removed from ${settings.file}.\n`);
  await useTokens(flags, async ({ tokens }) => {
    const known = await findAskers(tokens, settings);
    writeClaudeSettings(settings, printSettings(removeHooks(settings.members), settings));
    for (const { id } of known.values()) await tokens.remove(id);
    const revoked = [...known.values()].map(({ id }) => `Revoked ${id}.\n`).join('');
    const strange =
      known.size < given.length ? 'A token of theirs is not of this data directory: revoke it there.\n' : '';
    process.stdout.write(`Removed the hooks from ${settings.file}.\n${revoked}${strange}`);
  });
}

function openSettings({ settings }: DisconnectFlags): ClaudeSettings {
  return readClaudeSettings(settings ?? findClaudeSettings(process.env));
}

/** Whose tokens the hooks carry, as far as this data directory knows them as askers: no other is kept or revoked. */
async function findAskers(tokens: TokenStore, { members }: ClaudeSettings): Promise<Map<string, AccessToken>> {
  const found = new Map<string, AccessToken>();
  for (const token of findTokens(members)) {
    const record = await tokens.find({ hash: hashToken(token) }, Date.now());
    if (record?.role === 'asker') found.set(token, record);
  }
  return found;
}

async function makeAsker(tokens: TokenStore, token: string): Promise<AccessToken> {
  const id = randomBytes(6).toString('hex');
  const asker: AccessToken = { id, role: 'asker', createdAt: new Date().toISOString(), name: 'Claude Code' };
  try {
    await tokens.add(hashToken(token), asker);
    return asker;
  } catch (error) {
    if (!(error instanceof StoreError && error.code === 'conflict')) throw error;
    const named = { ...asker, name: `Claude Code ${id}` }; // another machine or settings file has the plain name
    await tokens.add(hashToken(token), named);
    return named;
  }
}

/** @throws SettingsError */
async function requireYes({ yes = false }: DisconnectFlags, change: string): Promise<void> {
  if (yes) return;
  const ask = askAtTerminal('Write it?');
  if (!ask) throw new SettingsError(`${change}Nobody is at the terminal to agree: --yes does.`);
  if (!(await ask(change))) throw new SettingsError('Nothing was changed.');
}

/** Where the server of these settings listens. @throws SettingsError */
async function findUrl({ dataDir, config }: ConnectFlags): Promise<string> {
  const flags = { ...(dataDir !== undefined && { dataDir }), ...(config !== undefined && { config }) };
  const { host, port } = await readSettings(flags, process.env, process.cwd());
  if (port === 0) throw new SettingsError('--url: say where the server listens, for its port is a free one.');
  return `http://${toUrlHost(host)}:${port}`;
}

/** @throws SettingsError for an address that would show the token to others */
function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLocal = url?.protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (!url || !(isLocal || url.protocol === 'https:'))
    throw new SettingsError(`--url: must be an https address, or an http address of this machine, not "${text}".`);
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}
