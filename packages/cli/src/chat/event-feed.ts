import type { ParleyClient, SessionClient } from '@parleyhq/client';
import { type ChatEvent, ExitError } from '@parleyhq/core';
import { SettingsError } from '../settings/settings.ts';

/** The maximum number of events that the server returns per page. */
const pageLength = 500;

interface Feed {
  /** How many past events to deliver first. */
  readonly past: number;
  /** Receives each event once and in order, even if the connection breaks. */
  onEvents(events: readonly ChatEvent[], session: SessionClient): void;
}

/**
 * Follows a session; resolves when its past events were delivered.
 * @throws ExitError 5 if there is no such session; SettingsError if several ids begin with `id`
 */
export async function followSession(
  client: ParleyClient,
  id: string,
  { past, onEvents }: Feed,
): Promise<SessionClient> {
  const session = client.open(findSession(client, id));
  let early: ChatEvent[] | undefined = [];
  session.onEvents((events) => {
    if (early) early.push(...events);
    else onEvents(events, session);
  });
  await until(session, () => session.state.phase === 'live' || session.state.phase === 'gone');
  if (session.state.phase === 'gone') throw new ExitError(5, `There is no session "${id}" that you may see.`);
  let known = takeRun(early);
  for (let page = known; page.length > 0 && known.length < past && (known[0]?.seq ?? 1) > 1; ) {
    page = await readBefore(client, session, known);
    known = [...page, ...known];
  }
  known = takeRun([...known, ...early.filter(({ seq }) => seq > (known.at(-1)?.seq ?? 0))]); // with those that arrived meanwhile
  early = undefined;
  onEvents(past === 0 ? [] : known.slice(-past), session);
  return session;
}

/** Resolves when `test` is true; it is tried again whenever `subject` changes. */
export function until(subject: Pick<ParleyClient, 'subscribe'>, test: () => boolean): Promise<void> {
  if (test()) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = subject.subscribe(() => {
      if (!test()) return;
      stop();
      resolve();
    });
  });
}

/** Completes an id from the newest sessions; returns it unchanged if none of them matches, as it may be an older session's. */
function findSession(client: ParleyClient, id: string): string {
  const ids = client.state.sessions.map((session) => session.id);
  const [found, other] = ids.includes(id) ? [id] : ids.filter((candidate) => candidate.startsWith(id));
  if (other !== undefined) throw new SettingsError(`Several sessions begin with "${id}": give more of it.`);
  return found ?? id;
}

/** Returns the last events without a gap. Before a gap there may be requests of older prompts that are still open (RPL4). */
function takeRun(events: readonly ChatEvent[]): readonly ChatEvent[] {
  const start = events.findLastIndex(({ seq }, n) => seq !== (events[n - 1]?.seq ?? 0) + 1);
  return events.slice(Math.max(start, 0));
}

async function readBefore(client: ParleyClient, { sessionId }: SessionClient, known: readonly ChatEvent[]) {
  const before = known[0]?.seq ?? 1;
  const page = await client.request({ type: 'read_events', sessionId, before, limit: pageLength });
  return (page as { events: ChatEvent[] }).events;
}
