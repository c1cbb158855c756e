import { generateKeyPairSync, hash } from 'node:crypto';
import type { InteractionRequest, Json } from '@parleyhq/core';
import { definePlugin, shownText, type ToolContext } from '@parleyhq/core';
import { readPublicKey, verifyReceipt } from '@parleyhq/server';
import { expect, test } from 'vitest';
import { startGuardedServer } from '../support/guarded-server.ts';
import { loadPlugin, loadShippedPlugin } from '../support/journey.ts';
import { startLocalServer } from '../support/local-server.ts';
import type { Tab } from '../support/tab.ts';

const { privateKey } = generateKeyPairSync('ed25519');

const picture = { label: 'One', image: 'data:image/png;base64,AAAA' };

const desk = definePlugin({
  name: 'desk',
  tools: [
    {
      name: 'desk_release',
      description: 'Asks two.',
      parameters: { type: 'object' },
      handler: (_: Record<string, unknown>, ctx: ToolContext) =>
        ctx.approve({ key: 'release', title: 'Release?', decide: { approve: 2 } }),
    },
    {
      name: 'desk_secret',
      description: 'Asks Ann behind closed doors.',
      parameters: { type: 'object' },
      handler: (_: Record<string, unknown>, ctx: ToolContext) =>
        ctx.approve({ key: 'secret', title: 'Sell?', audience: { principals: ['Ann'] }, visibility: 'audience' }),
    },
    {
      name: 'desk_link',
      description: 'Asks to open an address.',
      parameters: { type: 'object' },
      handler: (_: Record<string, unknown>, ctx: ToolContext) =>
        ctx.requestInteraction({ type: 'url', title: 'Pay', url: 'https://example.com/pay' }),
    },
  ],
});

async function open() {
  const shipped = await Promise.all(['forms', 'shell'].map(loadShippedPlugin));
  const plugins = [desk, ...shipped, await loadPlugin('approve.mjs'), await loadPlugin('durable.mjs')];
  const server = await startGuardedServer({ plugins, receiptKey: () => privateKey });
  const enter = async (role: 'viewer' | 'responder' | 'asker', name: string) => {
    const { token } = await server.makeToken({ role, name });
    return { token, tab: await server.local.open({ hello: { token } }) };
  };
  const [ann, bob, vic] = [
    await enter('responder', 'Ann'),
    await enter('responder', 'Bob'),
    await enter('viewer', 'Vic'),
  ];
  const owner = { token: server.token, tab: await server.enter() };
  const session = await owner.tab.createSession();
  for (const { tab } of [owner, ann, bob, vic]) await tab.follow(session);
  const get = (path: string, token: string) =>
    fetch(`${server.origin}${path}`, { headers: { authorization: `Bearer ${token}` } });
  const fetchReceipt = (id: string, token = owner.token) =>
    get(`/api/sessions/${session}/interactions/${id}/receipt`, token);
  const ask = async (words: string) => {
    const { seq } = await owner.tab.say(session, `/call ${words}`);
    return owner.tab.prompt(session, seq);
  };
  return { server, owner, ann, bob, vic, session, get, fetchReceipt, ask };
}

const settled = (tab: Tab, session: string, { interactionId }: InteractionRequest) =>
  tab.event(session, 'interaction_response', ({ payload }) => payload.interactionId === interactionId);

test('[SIGN3] whoever may see a settled prompt gets its receipt, which verifies with the server’s key alone', async () => {
  const { server, owner, ann, vic, session, get, fetchReceipt, ask } = await open();
  const prompt = await ask('touch {"path":"x"}');
  expect((await fetchReceipt(prompt.interactionId)).status).toBe(404); // not settled
  await ann.tab.answer(session, prompt, { action: 'approve', approvalScope: 'session', reason: 'Fine' });
  const { seq, timestamp: at } = await settled(owner.tab, session, prompt);
  const response = await fetchReceipt(prompt.interactionId, vic.token);
  expect(response.headers.get('content-disposition')).toContain(`receipt-${prompt.interactionId}.json`);
  const text = await response.text();

  const pem = await (await get('/api/receipt-key', vic.token)).text();
  const { receipt } = await verifyReceipt(text, readPublicKey(pem));
  const [row] = (await server.local.store.audit.read(session)).filter(
    ({ text: entry }) => JSON.parse(entry).seq === seq,
  );
  expect(receipt).toMatchObject({
    ...{ sessionId: session, interactionId: prompt.interactionId, toolName: 'touch', digest: prompt.digest },
    settlement: {
      seq,
      at,
      payload: { action: 'approve', approvalScope: 'session', reason: 'Fine', by: { name: 'Ann' } },
    },
    audit: { n: row?.n, hash: row?.hash },
  });
  expect(JSON.stringify(receipt)).not.toContain('127.0.0.1'); // addresses stay in the audit
});

test('[SIGN3, SEC4, TEAM1] a receipt is refused for a hidden call, another session, an unknown prompt and an asker', async () => {
  const { server, owner, ann, bob, session, fetchReceipt } = await open();
  const { seq } = await owner.tab.say(session, '/call desk_secret');
  const prompt = await ann.tab.prompt(session, seq);
  await ann.tab.answer(session, prompt, { action: 'deny' });
  await owner.tab.event(session, 'turn_end');
  expect((await fetchReceipt(prompt.interactionId, ann.token)).status).toBe(200);
  expect((await fetchReceipt(prompt.interactionId, bob.token)).status).toBe(404);
  expect((await fetchReceipt('nothing.1')).status).toBe(404);
  const asker = await server.makeToken({ role: 'asker', name: 'Ci' });
  expect((await fetchReceipt(prompt.interactionId, asker.token)).status).toBeGreaterThanOrEqual(401);
  const elsewhere = await server.makeToken({ role: 'operator', name: 'Eve', sessions: ['another'] });
  expect((await fetchReceipt(prompt.interactionId, elsewhere.token)).status).toBe(404);
});

test('[SIGN3, TEAM3] votes, a withdrawal and an answer by a grant have receipts, too', async () => {
  const { owner, ann, bob, session, fetchReceipt, ask } = await open();
  const read = async ({ interactionId }: InteractionRequest) =>
    (await verifyReceipt(await (await fetchReceipt(interactionId)).text())).receipt;
  const release = await ask('desk_release');
  for (const { tab } of [ann, bob]) await tab.answer(session, release, { action: 'approve', digest: release.digest });
  await settled(owner.tab, session, release);
  const { settlement, votes } = await read(release);
  expect(settlement).toMatchObject({ payload: { votes: { approve: 2, deny: 0 }, by: { name: 'Bob' } } });
  expect(votes).toMatchObject([{ payload: { action: 'approve', by: { name: 'Ann' } } }]);

  const stopped = await ask('desk_link');
  await owner.tab.ask({ type: 'cancel_turn', sessionId: session });
  await owner.tab.event(session, 'interaction_closed');
  expect(await read(stopped)).toMatchObject({
    settlement: { event: 'interaction_closed', payload: { reason: 'cancelled' } },
  });
});

test('[SIGN3, SEC8] a prompt from which a secret was removed has no receipt, and the refusal says why', async () => {
  const { owner, session, fetchReceipt, ask } = await open();
  const form = await ask('log_in {}');
  await owner.tab.answer(session, form, { action: 'submit', input: { user: 'ada', password: 'CANARY-5f1e' } });
  const { payload } = await owner.tab.event(session, 'interaction_request', (event) => event.payload.slot === 'go');
  await owner.tab.answer(session, payload, { action: 'approve' });
  await owner.tab.event(session, 'turn_end');
  const response = await fetchReceipt(payload.interactionId);
  expect([response.status, await response.json()]).toEqual([
    404,
    { error: expect.objectContaining({ message: expect.stringContaining('a secret was removed') }) },
  ]);
});

test('[SIGN3, DUR5] what was shown can be rebuilt from the log for every kind of prompt', async () => {
  const { owner, session, ask } = await open();
  const calls = [
    ...['all_fields', 'pick_colour', 'plan_trip {"traveller":"Ann"}', 'collect_email', 'desk_link'],
    `compare_images ${JSON.stringify({ before: picture, after: picture })}`,
    ...['desk_release', 'follow {"path":"x"}', 'run_command {"command":"npm test"}', 'delete_files {"files":["a"]}'],
  ];
  for (const words of calls) {
    const prompt = await ask(words);
    const stored = await owner.tab.event(session, 'interaction_request', ({ payload }) => isSame(payload, prompt));
    expect(hash('sha256', shownText(stored.payload)), words).toBe(prompt.digest);
    await owner.tab.ask({ type: 'cancel_turn', sessionId: session });
    await owner.tab.event(session, 'turn_end', undefined, stored.seq);
  }
});

const isSame = (one: InteractionRequest, other: InteractionRequest) => one.interactionId === other.interactionId;

test('[SIGN3] a server without a key says so', async () => {
  const server = await startLocalServer();
  const response = await fetch(`${server.httpUrl}/api/receipt-key`);
  const { error } = (await response.json()) as { error: Record<string, Json> };
  expect(error).toMatchObject({ code: 'not_found', message: expect.stringContaining('receiptKey') });
});
