import { findServer } from '../running-server/named-server.ts';
import type { ServerFlags } from '../settings/flags.ts';
import { listInbox } from './answer.ts';

export type InboxFlags = ServerFlags & { readonly list?: boolean };

/** `parley inbox`: interactive at a terminal, otherwise a list. @throws SettingsError, Error */
export async function openInbox({ list = false, ...flags }: InboxFlags): Promise<void> {
  const server = await findServer(flags);
  const isAtTerminal = process.stdin.isTTY && process.stdout.isTTY;
  if (list || server.settings.json || !isAtTerminal) await listInbox(flags);
  else await (await import('./terminal-inbox.ts')).browseInbox(server);
}
