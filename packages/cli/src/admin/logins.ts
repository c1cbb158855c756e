import type { AccessToken, Login } from '@parleyhq/core';
import { formatMoment } from '@parleyhq/core/transcript';
import { toJsonLine, toLine } from '../io/line.ts';
import type { DataFlags } from '../settings/flags.ts';
import { useTokens } from './use-tokens.ts';

/** `parley token logins`: the browsers that are logged in, oldest first (SEC9). */
export function listLogins(flags: DataFlags): Promise<void> {
  return useTokens(flags, async ({ logins, tokens }) => {
    const [list, holders] = [await logins.list(Date.now()), await tokens.list()];
    for (const login of list) {
      process.stdout.write(flags.json ? toJsonLine(login) : toLine(describe(login, holders)));
    }
    if (list.length === 0 && !flags.json) process.stdout.write('No browser is logged in.\n');
  });
}

/** `parley token logout <id>`: the browser is disconnected within a second (SEC9). @throws Error if there is no such login */
export function endLogin(id: string, flags: DataFlags): Promise<void> {
  return useTokens(flags, async ({ logins }) => {
    if (!(await logins.remove({ id }))) throw new Error(`There is no login "${id}".`);
    if (!flags.json) process.stdout.write(`Logged out ${id}.\n`);
  });
}

function describe(login: Login, holders: readonly AccessToken[]): string {
  const { id, tokenId, createdAt, expiresAt, userAgent, address } = login;
  const holder = tokenId === undefined ? 'owner' : (holders.find((token) => token.id === tokenId)?.name ?? tokenId);
  const since = createdAt === undefined ? '' : `, since ${formatMoment(createdAt)}`;
  const from = address === undefined ? '' : ` from ${address}`;
  return `${id}  ${holder}  ${userAgent ?? 'unknown browser'}${from}${since}, until ${formatMoment(expiresAt)}`;
}
