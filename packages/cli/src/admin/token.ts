import { randomBytes } from 'node:crypto';
import { type AccessToken, ownerId, type Role, roles, StoreError } from '@parleyhq/core';
import { formatMoment } from '@parleyhq/core/transcript';
import { findOwner, hashToken, makeToken } from '@parleyhq/server';
import { toJsonLine, toLine } from '../io/line.ts';
import { print } from '../io/output.ts';
import { readDuration } from '../settings/duration.ts';
import type { DataFlags } from '../settings/flags.ts';
import { SettingsError } from '../settings/settings.ts';
import { describeLink, readLinks, showLink } from './link.ts';
import { useTokens } from './use-tokens.ts';

export interface NewTokenFlags extends DataFlags {
  readonly role: string;
  readonly name?: string;
  readonly owner?: string;
  readonly sessions?: string;
  readonly expires?: string;
}

/** `parley token create`: prints the token, which is not stored and cannot be printed again. @throws SettingsError */
export function createToken({ role, name, owner, sessions, expires, ...flags }: NewTokenFlags): Promise<void> {
  const now = Date.now();
  const ids = sessions?.split(',').filter((id) => id !== '');
  if (!isRole(role)) throw new SettingsError(`--role: must be one of ${roles.join(', ')}, not "${role}".`);
  if (ids?.length === 0) throw new SettingsError('--sessions: name at least one, or omit the flag for all.');
  if (name !== undefined) requireName(name);
  if (owner !== undefined) requireLine('--owner', owner);
  const expiresAt = expires === undefined ? undefined : readExpiry(expires, now);
  const record: AccessToken = {
    id: randomBytes(6).toString('hex'), // short, because people type it
    role,
    createdAt: new Date(now).toISOString(),
    ...(name !== undefined && { name }),
    ...(ids && { sessions: ids }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
  return useTokens(flags, async ({ tokens, hasSession }, dataDir) => {
    for (const id of ids ?? [])
      if (!(await hasSession(id))) throw new SettingsError(`--sessions: there is no session "${id}".`);
    const others = await tokens.list();
    const person = findOwner({ name, owner }, others);
    const made = person === undefined ? record : { ...record, owner: person };
    const token = makeToken();
    await tokens.add(hashToken(token), made).catch((error: unknown) => {
      const isTaken = error instanceof StoreError && error.code === 'conflict';
      throw isTaken
        ? new SettingsError(
            `--name: there is a token "${name}" already. Take another name, or revoke that one first: parley token revoke`,
          )
        : error;
    });
    const words = `${describe(made, others)}\nThe token, which is not shown again; it is for the server with the data in ${toLine(dataDir).trimEnd()}:\n\n  ${token}\n\n`;
    await print(
      flags.json ? toJsonLine({ ...made, token }) : words,
      `The token could not be written, and is not shown again: parley token revoke ${made.id}`,
    );
  });
}

/**
 * `parley token list`: prints all tokens, each with its linked chat accounts; the server's own only if it has some.
 */
export function listTokens(flags: DataFlags): Promise<void> {
  return useTokens(flags, async ({ tokens, links }) => {
    const list = await tokens.list();
    const linked = await readLinks(links);
    const write = (token: Pick<AccessToken, 'id' | 'role'>, words: string) => {
      const own = linked.get(token.id) ?? [];
      const shown = own.length > 0 && { links: own.map(showLink) };
      const text = [words, ...own.map(describeLink)].join('');
      process.stdout.write(flags.json ? toJsonLine({ ...token, ...shown }) : text);
    };
    for (const token of list) write(token, describe(token, list));
    if (linked.has(ownerId)) write({ id: ownerId, role: 'operator' }, "owner  operator  the server's own token\n");
    else if (list.length === 0 && !flags.json)
      process.stdout.write("There are no tokens other than the server's own.\n");
  });
}

/**
 * `parley token revoke <id>`: also revokes its grants, unless they are kept (SEC9).
 * @throws Error if there is no such token
 */
export function revokeToken(id: string, flags: DataFlags & { readonly keepGrants?: boolean }): Promise<void> {
  const { keepGrants = false } = flags;
  return useTokens(flags, async ({ tokens }) => {
    if (!(await tokens.remove(id, { keepGrants }))) throw new Error(`There is no token "${id}".`);
    if (!flags.json) process.stdout.write(`Revoked ${id}.\n`);
  });
}

function describe(
  { id, name, owner, role, sessions, createdAt, expiresAt, issuer }: AccessToken,
  tokens: readonly AccessToken[],
): string {
  const whose = owner === undefined ? '' : ` of ${tokens.find((token) => token.id === owner)?.name ?? owner}`;
  const where = sessions ? `sessions ${sessions.join(', ')}` : 'all sessions';
  const isOver = expiresAt !== undefined && Date.parse(expiresAt) <= Date.now();
  const until = expiresAt === undefined ? '' : `, ${isOver ? 'expired' : 'until'} ${formatMoment(expiresAt)}`;
  const how = issuer === undefined ? '' : `, logs in at ${issuer}`;
  return toLine(
    `${id}  ${role}  ${name ?? 'no name'}${whose}  ${where}, made ${formatMoment(createdAt)}${until}${how}`,
  );
}

/** Checks a token's name, which is shown to people and looked up like an id. @throws SettingsError */
function requireName(name: string): void {
  if (name === 'owner')
    throw new SettingsError('--name: "owner" is reserved for the holder of the server\'s own token.');
  requireLine('--name', name);
}

/** @throws SettingsError */
function requireLine(flag: string, text: string): void {
  if (text.trim() === '' || toLine(text) !== `${text}\n`)
    throw new SettingsError(`${flag}: must be readable text on one line.`);
}

function isRole(text: string): text is Role {
  return (roles as readonly string[]).includes(text);
}

/** Reads a future date, or a duration from now (`30d`, `12h`, `15m`), and returns it as an ISO time. @throws SettingsError */
function readExpiry(text: string, now: number): string {
  const duration = readDuration(text);
  const at = duration === undefined ? Date.parse(text) : now + duration;
  if (Number.isNaN(at))
    throw new SettingsError(
      `--expires: "${text}" is neither a date such as 2027-01-31 nor a duration such as 30d, 12h or 15m.`,
    );
  if (at <= now) throw new SettingsError(`--expires: "${text}" is in the past.`);
  return new Date(at).toISOString();
}
