import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectWebSocket, ParleyClient } from '@parleyhq/client';
import { openSqliteStore, ParleyServer } from '@parleyhq/server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import hello from './hello.mjs';

test('[PLG1] greet asks for a name and says it', async () => {
  const client = await connect();
  const session = client.open((await client.createSession()).id);

  await session.send('/call greet');
  const prompt = await vi.waitUntil(() => session.state.head.prompts[0]?.request);
  await session.respond(prompt, { action: 'submit', input: { name: 'Ada' } });

  const said = await vi.waitUntil(() => [...session.state.items.values()].find((item) => item.kind === 'text'));
  expect(said.text.payload.text).toBe('greet returned: "Hello, Ada!"');
});

/** Starts a real server on a free port, with the plugin and a database of its own, and returns a connected client. */
async function connect(): Promise<ParleyClient> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hello-'));
  const server = new ParleyServer({ store: openSqliteStore(join(dataDir, 'parley.db')), plugins: [hello], dataDir });
  const port = await server.listen({ port: 0, host: '127.0.0.1' });
  const client = new ParleyClient({ transport: connectWebSocket(`ws://127.0.0.1:${port}/ws`, WebSocket) });
  client.start();
  onTestFinished(async () => {
    client.stop();
    await server.close();
    await rm(dataDir, { recursive: true });
  });
  await vi.waitUntil(() => client.state.connection === 'open');
  return client;
}
