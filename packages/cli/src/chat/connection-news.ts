import type { ParleyClient, SessionClient } from '@parleyhq/client';
import { ExitError } from '../io/exit-error.ts';
import { until } from './event-feed.ts';

/** Says when the connection breaks, and when it is back. */
export function reportConnection(client: ParleyClient, say: (words: string) => void): void {
  let isOpen = client.state.connection === 'open';
  client.subscribe(() => {
    const wasOpen = isOpen;
    isOpen = client.state.connection === 'open';
    if (wasOpen && client.state.connection === 'reconnecting') say('The server is gone. Trying again.');
    if (!wasOpen && isOpen) say('Connected again.');
  });
}

/** @throws ExitError 5 when the session is deleted, or may be seen no longer */
export async function waitForEnd(session: SessionClient): Promise<never> {
  await until(session, () => session.state.phase === 'gone');
  throw new ExitError(5, 'The session was deleted, or you may see it no longer.');
}
