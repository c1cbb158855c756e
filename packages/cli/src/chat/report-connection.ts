import type { ParleyClient, SessionClient } from '@parleyhq/client';
import { ExitError } from '@parleyhq/core';
import { until } from './event-feed.ts';

/** Reports when the connection breaks and when it is restored. */
export function reportConnection(client: ParleyClient, say: (words: string) => void): void {
  let isOpen = client.state.connection === 'open';
  client.subscribe(() => {
    const wasOpen = isOpen;
    isOpen = client.state.connection === 'open';
    if (wasOpen && client.state.connection === 'reconnecting') say('The connection was lost. Trying again.');
    if (!wasOpen && isOpen) say('Connected again.');
  });
}

/** Waits until the session ends for this client. @throws ExitError 5 if it is deleted, or may no longer be seen */
export async function waitForEnd(session: SessionClient): Promise<never> {
  await until(session, () => session.state.phase === 'gone');
  throw new ExitError(5, 'The session was deleted, or you may no longer see it.');
}
