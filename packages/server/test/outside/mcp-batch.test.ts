import { expect, test } from 'vitest';
import { startGuardedServer } from '../support/guarded-server.ts';

test('[SEC6, ASK6] each message of a batch counts as a request', async () => {
  const server = await startGuardedServer({ framesPerSecond: 1 });
  const { token } = await server.makeToken({ role: 'asker' });
  const send = async (size: number) => {
    const list = Array.from({ length: size }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' }));
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const init = { method: 'POST', headers: { ...headers, authorization: `Bearer ${token}` } };
    const response = await fetch(`${server.origin}/mcp`, { ...init, body: JSON.stringify(list) });
    await response.arrayBuffer();
    return response.status;
  };
  expect(await send(2)).toBe(200);
  expect(await send(100)).toBe(429);
});
