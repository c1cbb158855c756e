import type { ParleyClient, SessionClient } from '@parleyhq/client';
import type { ChatEvent } from '@parleyhq/core';
import { ExitError } from '../io/exit-error.ts';
import { SettingsError } from '../settings/settings.ts';

/** The most events that the server gives in a page. */
const pageLength = 500;

interface Feed {
  /** How many events of the past come first. */
  readonly past: number;
  /** Called with events in their order, each once, whatever happens to the connection. */
  onEvents(events: readonly ChatEvent[], session: SessionClient): void;
}

/**
 * Follows a session. @returns once its past was told
 * @throws ExitError 5 where there is no such session; SettingsError where several ids begin so
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
  known = takeRun([...known, ...early.filter(({ seq }) => seq > (known.at(-1)?.seq ?? 0))]); // some came meanwhile
  early = undefined;
  onEvents(past === 0 ? [] : known.slice(-past), session);
  return session;
}

/** Waits until it is so; `subject` says when to look again. */
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

/** The id of the session that begins so, among the newest; one that none of them begins with may be older. */
function findSession(client: ParleyClient, id: string): string {
  const ids = client.state.sessions.map((session) => session.id);
  const [found, other] = ids.includes(id) ? [id] : ids.filter((candidate) => candidate.startsWith(id));
  if (other !== undefined) throw new SettingsError(`Several sessions begin with "${id}": give more of it.`);
  return found ?? id;
}

/** The last events without a gap: before them may be requests of older prompts that are open (RPL4). */
function takeRun(events: readonly ChatEvent[]): readonly ChatEvent[] {
  const start = events.findLastIndex(({ seq }, n) => seq !== (events[n - 1]?.seq ?? 0) + 1);
  return events.slice(Math.max(start, 0));
}

async function readBefore(client: ParleyClient, { sessionId }: SessionClient, known: readonly ChatEvent[]) {
  const before = known[0]?.seq ?? 1;
  const page = await client.request({ type: 'read_events', sessionId, before, limit: pageLength });
  return (page as { events: ChatEvent[] }).events;
}
