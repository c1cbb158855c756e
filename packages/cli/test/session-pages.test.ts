import { connectWebSocket, ParleyClient } from '@parleyhq/client';
import type { Session } from '@parleyhq/core';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { startLocalServer } from '../../server/test/support/local-server.ts';

test('[FRM1, WEB8] the client loads more sessions than the hundred of the welcome, each once, though an old one is pinned', async () => {
  const server = await startLocalServer({ now: () => Date.parse('2026-03-01T12:00:00Z') });
  for (let start = 0; start < 2; start += 1) {
    await server.restart(); // the clock starts over: its times are distinct only within one process
    const tab = await server.open();
    await Promise.all(Array.from({ length: 65 }, () => tab.createSession()));
  }
  const tab = await server.open();
  const pinned = await tab.createSession();
  await tab.ask({ type: 'update_session', sessionId: pinned, pinned: true }); // the clock stands still: among the oldest now
  const client = new ParleyClient({
    transport: connectWebSocket(`ws://127.0.0.1:${server.port}/ws`, WebSocket as never),
  });
  onTestFinished(() => client.stop());
  client.start();
  await expect.poll(() => client.state.sessions.length).toBe(101);
  while ((await client.loadMoreSessions(7)) > 0);
  const { sessions } = await tab.ask<{ sessions: Session[] }>({ type: 'list_sessions', limit: 1000 });
  expect(sessions).toHaveLength(131);
  expect(client.state.sessions.map(({ id }) => id)).toEqual(sessions.map(({ id }) => id));
});
