import { connectWebSocket, ParleyClient } from '@parleyhq/client';
import type { Session } from '@parleyhq/core';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { useLocalServer } from '../../server/test/support/local-server.ts';

const server = useLocalServer();

test('[FRM1] the client loads more than the hundred of the welcome, each once', async () => {
  const tab = await server.open();
  await Promise.all(Array.from({ length: 120 }, () => tab.createSession()));
  const transport = connectWebSocket(`ws://127.0.0.1:${server.port}/ws`, WebSocket as never);
  const client = new ParleyClient({ transport });
  onTestFinished(() => client.stop());
  client.start();
  await expect.poll(() => client.state.sessions.length).toBe(100);
  while ((await client.loadMoreSessions(7)) > 0);
  const { sessions } = await tab.ask<{ sessions: Session[] }>({ type: 'list_sessions', limit: 1000 });
  expect(client.state.sessions.map(({ id }) => id)).toEqual(sessions.map(({ id }) => id));
});
