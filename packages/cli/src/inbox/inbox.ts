import { type Flags, readSettings } from '../settings/settings.ts';
import { listInbox } from './answer.ts';

export type InboxFlags = Flags & { readonly list?: boolean };

/** `parley inbox`: interactive at a terminal, otherwise a list. @throws SettingsError, Error */
export async function openInbox({ list = false, ...flags }: InboxFlags): Promise<void> {
  const settings = await readSettings(flags, process.env, process.cwd());
  const isAtTerminal = process.stdin.isTTY && process.stdout.isTTY;
  if (list || settings.json || !isAtTerminal) await listInbox(flags);
  else await (await import('./terminal-inbox.ts')).browseInbox(settings, flags);
}
