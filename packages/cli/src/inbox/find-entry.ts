import type { InboxEntry } from '@parleyhq/core';
import { addHint } from '../running-server/explain-error.ts';
import { tokenHint } from '../running-server/running-server.ts';
import type { ServerHttp } from '../running-server/server-http.ts';
import { SettingsError } from '../settings/settings.ts';

/** Reads the whole inbox, oldest first. The server returns it in pages, newest page first. */
export async function readInbox(http: ServerHttp): Promise<readonly InboxEntry[]> {
  let { open } = await http.listOpen().catch((error: unknown) => addHint(error, hints));
  for (let page = open; page[0]; ) {
    ({ open: page } = await http.listOpen(page[0].interaction.interactionId));
    open = [...page, ...open];
  }
  return open;
}

const hints = {
  unauthorised: tokenHint,
  forbidden: 'Answering needs a person’s token: a program’s token can only ask.',
};

/** Finds an entry by the beginning of its id. @throws SettingsError if several match; Error if none does */
export function findEntry(open: readonly InboxEntry[], id: string): InboxEntry {
  const exact = open.find(({ interaction }) => interaction.interactionId === id);
  const found = exact ? [exact] : open.filter(({ interaction }) => interaction.interactionId.startsWith(id));
  const [first] = found;
  if (!first) {
    throw new Error(
      `Nothing that you may answer has an id that begins with "${id}". It may be settled, or your token may only look: parley inbox lists what waits for you.`,
    );
  }
  if (found.length > 1) throw new SettingsError(`Several ids begin with "${id}": ${listSome(found)}. Give more of it.`);
  return first;
}

/** Lists the newest of the ids: somebody who has just asked is looking for one of those. */
function listSome(found: readonly InboxEntry[]): string {
  const ids = found.slice(-4).map(({ interaction }) => interaction.interactionId);
  return found.length > ids.length ? `…, ${ids.join(', ')}` : ids.join(', ');
}
