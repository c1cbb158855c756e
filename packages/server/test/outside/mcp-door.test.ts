import { beforeEach, expect, test } from 'vitest';
import { type GuardedServer, startGuardedServer } from '../support/guarded-server.ts';
import { loadShippedPlugin } from '../support/journey.ts';
import { connectMcp, postMcp, readAnswer } from '../support/mcp-client.ts';

const askUser = await loadShippedPlugin('ask-user');
const question = { name: 'ask_human', arguments: { question: 'Which colour?' } };

let server: GuardedServer;
let token: string;
beforeEach(async () => {
  server = await startGuardedServer({ plugins: [askUser] });
  token = (await server.makeToken({ role: 'asker', name: 'ci' })).token;
});
const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

test('[ASK6, SEC2] /mcp accepts the tokens of askers and operators', async () => {
  for (const good of [token, server.token]) expect((await postMcp(server.origin, list, bearer(good))).status).toBe(200);
  for (const headers of [bearer('wrong'), {}]) {
    const refused = await postMcp(server.origin, list, headers);
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="Parley"']);
  }
  for (const role of ['viewer', 'responder'] as const) {
    const other = await server.makeToken({ role });
    expect((await postMcp(server.origin, list, bearer(other.token))).status).toBe(403);
  }
});

test('[ASK6] /mcp refuses subscriptions like any unknown method', async () => {
  const version = '2026-07-28';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'ci', version: '1' },
  };
  const replies = ['subscriptions/listen', 'resources/list'].map(async (method) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: { notifications: {}, _meta } });
    const headers = { ...bearer(token), 'mcp-protocol-version': version, 'mcp-method': method };
    const response = await postMcp(server.origin, body, headers);
    return [response.status, await response.json()];
  });
  const [listening, unknown] = await Promise.all(replies);
  expect(unknown).toMatchObject([404, { id: 7, error: { code: -32_601 } }]);
  expect(listening).toEqual(unknown);
});

test('[SEC3] /mcp refuses other pages and other hosts', async () => {
  const response = await postMcp(server.origin, list, { ...bearer(token), origin: 'https://evil.example' });
  expect(response.status).toBe(403);
});

test('[SEC11] /mcp refuses what is too large, too deep or not JSON', async () => {
  for (const body of [`${'['.repeat(100)}${']'.repeat(100)}`, '{'])
    expect((await postMcp(server.origin, body, bearer(token))).status).toBe(400);
  expect((await postMcp(server.origin, JSON.stringify(['x'.repeat(300_000)]), bearer(token))).status).toBe(413);
});

test('[ASK6] /mcp has no streams of its own, and no sessions to end', async () => {
  for (const method of ['GET', 'DELETE']) {
    const response = await fetch(`${server.origin}/mcp`, { method, headers: bearer(token) });
    expect(response.status).toBe(405);
  }
});

test('[SEC9] a token that ends also ends its waiting requests', async () => {
  const owner = await server.enter();
  const own = await server.makeToken({ role: 'asker' });
  const asking = (await connectMcp(server.origin, { token: own.token })).callTool(question);
  await owner.until((frame) => frame.type === 'interaction_opened');
  await server.local.store.tokens.remove(own.id);
  expect(readAnswer(await asking)).toMatchObject({ isError: true, text: expect.stringContaining('unauthorised') });
});
