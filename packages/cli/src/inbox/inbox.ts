import { findServer } from '../running-server/named-server.ts';
import type { ServerFlags } from '../settings/flags.ts';
import { SettingsError } from '../settings/settings.ts';
import { listInbox } from './answer.ts';

export type InboxFlags = ServerFlags & { readonly list?: boolean; readonly wait?: boolean };

/** `parley inbox`: interactive at a terminal, otherwise a list. @throws SettingsError, Error */
export async function openInbox({ list = false, wait = false, ...flags }: InboxFlags): Promise<void> {
  const server = await findServer(flags);
  const isAtTerminal = process.stdin.isTTY && process.stdout.isTTY;
  const isList = list || server.settings.json || !isAtTerminal;
  if (isList && wait)
    throw new SettingsError('--wait: only a person at a terminal can wait, without --list and --json.');
  if (isList) await listInbox(flags);
  else await (await import('./terminal-inbox.ts')).browseInbox(server, { isLasting: wait });
}
