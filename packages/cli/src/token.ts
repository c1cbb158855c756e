import { randomBytes } from 'node:crypto';
import { type AccessToken, type Role, roles } from '@parleyhq/core';
import { hashToken, makeToken, openTokenFile, type TokenFile } from '@parleyhq/server';
import { toLine } from './line.ts';
import { readSettings, SettingsError } from './settings.ts';

/** Flags of every `parley token` command. */
export interface TokenFlags {
  readonly dataDir?: string;
  readonly config?: string;
  readonly json?: boolean;
}

export interface NewTokenFlags extends TokenFlags {
  readonly role: string;
  readonly name?: string;
  readonly sessions?: string;
  readonly expires?: string;
}

/** `parley token create`: the token itself is printed here and never again. */
export function createToken({ role, name, sessions, expires, ...flags }: NewTokenFlags): Promise<void> {
  const now = Date.now();
  const ids = sessions?.split(',').filter((id) => id !== '');
  if (!isRole(role)) throw new SettingsError(`--role: "${role}" is none of ${roles.join(', ')}.`);
  if (ids?.length === 0) throw new SettingsError('--sessions: name one at least, or leave the flag out for all.');
  if (name !== undefined) requireName(name);
  const expiresAt = expires === undefined ? undefined : readExpiry(expires, now);
  const record: AccessToken = {
    id: randomBytes(6).toString('hex'), // short, for people type it
    role,
    createdAt: new Date(now).toISOString(),
    ...(name !== undefined && { name }),
    ...(ids && { sessions: ids }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
  return useTokens(flags, async ({ tokens, hasSession }) => {
    const unknown = ids?.find((id) => !hasSession(id));
    if (unknown !== undefined) throw new SettingsError(`--sessions: there is no session "${unknown}".`);
    const isTaken = (await tokens.list()).some(({ id }) => id === name);
    if (isTaken) throw new SettingsError(`--name: "${name}" is the id of another token.`);
    const token = makeToken();
    await tokens.add(hashToken(token), record);
    const words = `${describe(record)}\nThe token, which is shown this once:\n\n  ${token}\n\n`;
    process.stdout.write(flags.json ? `${JSON.stringify({ ...record, token })}\n` : words);
  });
}

/** `parley token list`: who may come in beside the holder of the server's own token. */
export function listTokens(flags: TokenFlags): Promise<void> {
  return useTokens(flags, async ({ tokens }) => {
    const list = await tokens.list();
    for (const token of list) process.stdout.write(flags.json ? `${JSON.stringify(token)}\n` : describe(token));
    if (list.length === 0 && !flags.json) process.stdout.write("There are no tokens beside the server's own.\n");
  });
}

/** `parley token revoke <id>` @throws Error where there is no such token */
export function revokeToken(id: string, flags: TokenFlags): Promise<void> {
  return useTokens(flags, async ({ tokens }) => {
    if (!(await tokens.remove(id))) throw new Error(`There is no token "${id}".`);
    if (!flags.json) process.stdout.write(`Revoked ${id}.\n`);
  });
}

async function useTokens({ dataDir, config }: TokenFlags, work: (file: TokenFile) => Promise<void>): Promise<void> {
  const flags = { ...(dataDir !== undefined && { dataDir }), ...(config !== undefined && { config }) };
  const file = openTokenFile((await readSettings(flags, process.env, process.cwd())).dataDir);
  try {
    await work(file);
  } finally {
    await file.close();
  }
}

function describe({ id, name, role, sessions, createdAt, expiresAt }: AccessToken): string {
  const where = sessions ? `sessions ${sessions.join(', ')}` : 'all sessions';
  const isOver = expiresAt !== undefined && Date.parse(expiresAt) <= Date.now();
  const until = expiresAt === undefined ? '' : isOver ? `, expired ${expiresAt}` : `, until ${expiresAt}`;
  return toLine(`${id}  ${role}  ${name ?? 'no name'}  ${where}, made ${createdAt}${until}`);
}

/** A name is asked for and read like an id. @throws SettingsError */
function requireName(name: string): void {
  if (name === 'owner') throw new SettingsError('--name: "owner" is who has the server\'s own token.');
  if (name.trim() === '' || toLine(name) !== `${name}\n`) {
    throw new SettingsError('--name: must be a name that can be read, in one line.');
  }
}

function isRole(text: string): text is Role {
  return (roles as readonly string[]).includes(text);
}

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 24 * 3_600_000 };

/** A time to come, or how long from now: `30d`, `12h`, `15m`. @throws SettingsError */
function readExpiry(text: string, now: number): string {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const at = count === undefined ? Date.parse(text) : now + Number(count) * (units[unit] as number);
  if (Number.isNaN(at))
    throw new SettingsError(`--expires: "${text}" is no time, as 2027-01-31, and no span, as 30d, 12h or 15m.`);
  if (at <= now) throw new SettingsError(`--expires: "${text}" is over already.`);
  return new Date(at).toISOString();
}
