import { createHash } from 'node:crypto';
import { type InteractionRequest, limits } from '@parleyhq/core';
import type postgres from 'postgres';
import { expect, test } from 'vitest';
import { ParleyProcess } from '../support/command.ts';
import { pluginOf } from '../support/plugin-file.ts';
import type { ServerProcess } from '../support/server-process.ts';
import type { Tab } from '../support/tab.ts';
import { dump, lookInto } from './support/look-into.ts';
import { startTwo } from './support/start-nodes.ts';

/** Tools that ask for a password: one returns it to the calling program, the other returns its hash. */
const plugin = `
import { createHash } from 'node:crypto';
const ask = async (ctx) => {
  const fields = [{ id: 'password', type: 'secret', label: 'Password' }];
  const { input } = await ctx.requestInteraction({ type: 'input', title: 'Password', inputSchema: { type: 'form', fields } });
  return input.password;
};
const parameters = { type: 'object' };
export default {
  name: 'vault',
  tools: [
    { name: 'fetch_password', description: 'Asks.', asking: true, parameters, handler: async ({ length = 0 }, ctx) => ({ password: await ask(ctx), more: 'x'.repeat(length) }) },
    { name: 'hash_password', description: 'Asks.', parameters, durable: true,
      handler: async (args, ctx) => ({ hash: createHash('sha256').update(await ask(ctx)).digest('hex') }) },
  ],
};
`;

const canary = 'canary-9d1c-hunter2';
const ownerToken = 'parley_the-owner-of-both-nodes';
const owner = { hello: { token: ownerToken } };
const patience = { timeout: 60_000 };

async function startVault() {
  const { nodes, url } = await startTwo({ plugins: [pluginOf(plugin)], args: [], env: { PARLEY_TOKEN: ownerToken } });
  const words = ['token', 'create', '--role', 'asker', '--name', 'ci', '--json'];
  const made = await new ParleyProcess(words, { env: { PARLEY_STORE: url } }).end();
  const { id, token }: { id: string; token: string } = JSON.parse(made.stdout);
  return { nodes, sql: lookInto(url), id, token };
}

/** Waits until every node has renewed its lease twice, and thus has read those of the others. */
async function meet(sql: postgres.Sql): Promise<void> {
  const least = async () => Number((await sql`select min(beats) as beats from nodes`)[0]?.beats);
  const before = await least();
  await expect.poll(least, patience).toBeGreaterThan(before + 1);
}

/** Waits until a node reports that a program has this many connections there. */
async function expectHeld(sql: postgres.Sql, id: string, count: number): Promise<void> {
  const held = () =>
    sql`select 1 from nodes where details::jsonb->'connections' @> ${JSON.stringify([[id, count]])}::text::jsonb`;
  await expect.poll(held, patience).toHaveLength(1);
}

function typePassword(tab: Tab, session: string, prompt: InteractionRequest) {
  return tab.answer(session, prompt, { action: 'submit', input: { password: canary } });
}

test('[OPS4, ASK5] a caller that waits or is connected at another node than the one that runs the call gets its secret, sealed; one later fetch, too', {
  timeout: 180_000,
}, async () => {
  const { nodes, sql, id, token } = await startVault();
  const [a, b] = nodes;
  const told: string[] = [];
  for (const channel of ['parley_news', 'parley_bus']) await sql.listen(channel, (payload) => told.push(payload));
  const person = await a.open(owner);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const call = await fetch(`${a.httpUrl}/api/calls`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ channel: 'main', callId: 'ship-1', toolName: 'fetch_password', args: {} }),
  });
  const { toolCallId, sessionId } = await call.json();
  const fetchAt = async (node: ServerProcess, wait: number) =>
    (await fetch(`${node.httpUrl}/api/calls/${toolCallId}?wait=${wait}`, { headers })).json();
  const program = await b.open({ hello: { token } });
  await person.follow(sessionId);
  const prompt = await person.prompt(sessionId);
  const isKnown = async () => (await fetchAt(b, 0)).status; // and its node has loaded the session
  expect(await isKnown()).toBe('open');
  const waiting = fetchAt(b, 60);
  await expectHeld(sql, id, 2); // the socket, and the request that waits
  await meet(sql);
  expect((await typePassword(person, sessionId, prompt)).ok).toBe(true);
  expect(await waiting).toMatchObject({ status: 'done', result: { password: canary } });
  expect(await program.waitFor('call_result')).toMatchObject({ toolCallId, result: { password: canary } });
  expect(await fetchAt(b, 0)).toMatchObject({ status: 'done', result: { password: canary } });
  const late = { status: 'done', result: { password: { redacted: true } }, delivered: false };
  for (const node of nodes) expect(await fetchAt(node, 0)).toMatchObject(late);
  const traces = [await dump(sql), told, a.stderr, b.stderr, person.frames];
  expect(traces.map((trace) => JSON.stringify(trace)).join()).not.toContain(canary);
});

test('[OPS4, ASK5] the largest result comes from another node with its secret, as a small one does', {
  timeout: 180_000,
}, async () => {
  const { nodes, sql, id, token } = await startVault();
  const [a, b] = nodes;
  const person = await a.open(owner);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const length = limits.resultBytes - 1000;
  const call = await fetch(`${a.httpUrl}/api/calls`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ channel: 'main', callId: 'ship-1', toolName: 'fetch_password', args: { length } }),
  });
  const { toolCallId, sessionId } = await call.json();
  await person.follow(sessionId);
  const prompt = await person.prompt(sessionId);
  const fetchAtB = async (wait: number) =>
    (await fetch(`${b.httpUrl}/api/calls/${toolCallId}?wait=${wait}`, { headers })).json();
  expect((await fetchAtB(0)).status).toBe('open'); // its node has loaded the session
  const waiting = fetchAtB(60);
  await expectHeld(sql, id, 1);
  await meet(sql);
  expect((await typePassword(person, sessionId, prompt)).ok).toBe(true);
  const { status, result } = await waiting;
  expect({ status, password: result.password, length: result.more?.length }).toEqual({
    status: 'done',
    password: canary,
    length,
  });
});

test('[OPS4, INT17] a secret that was sealed for a node that has died is asked for again, and never silently lost', {
  timeout: 120_000,
}, async () => {
  const { nodes, sql } = await startVault();
  const [a, b] = nodes;
  const [atA, atB] = [await a.open(owner), await b.open(owner)];
  const session = await atA.createSession();
  await atB.until((frame) => frame.type === 'session_created' && frame.session.id === session);
  await atB.follow(session);
  const knowsKey = async () => (await sql`select 1 from nodes where details like '%publicKey%'`).length;
  await expect.poll(knowsKey, patience).toBe(2);
  await meet(sql);
  await atA.say(session, '/call hash_password {}');
  const prompt = await atB.prompt(session);
  await a.kill();
  expect(await typePassword(atB, session, prompt)).toMatchObject({ ok: true }); // its lease has not expired: it counts as alive
  expect(await dump(sql)).not.toContain(canary);
  await atB.event(session, 'turn_resumed');
  const recovery = await atB.event(session, 'interaction_request', ({ payload }) => payload.source.kind === 'recovery');
  await atB.answer(session, recovery.payload, { action: 'approve' }); // the answer was there, and the tool may have begun to use it
  const again = await atB.event(session, 'interaction_request', ({ payload }) => payload.replaces !== undefined);
  expect(again.payload).toMatchObject({ replaces: prompt.interactionId, error: expect.any(String) });
  expect(await typePassword(atB, session, again.payload)).toMatchObject({ ok: true });
  const result = await atB.event(session, 'tool_result');
  expect(result.payload).toMatchObject({ result: { hash: createHash('sha256').update(canary).digest('hex') } });
  await atB.event(session, 'turn_end');
});

test('[OPS4, ASK1] a call that a program makes at two nodes at once is one call, in one channel, and both report it', async () => {
  const { nodes } = await startTwo();
  const post = async (node: ServerProcess, channel: string, callId: string) => {
    const response = await fetch(`${node.httpUrl}/api/calls`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ channel, callId, toolName: 'ask_human', args: { question: 'Deploy?' } }),
    });
    return { code: response.status, ...(await response.json()) };
  };
  for (let round = 0; round < 20; round += 1) {
    const name = `round-${round}`;
    const same = await Promise.all(nodes.map((node) => post(node, name, name)));
    expect(same.map(({ code }) => code)).toEqual([202, 202]);
    expect(same[0].toolCallId).toBe(same[1].toolCallId);
    const others = await Promise.all(nodes.map((node, n) => post(node, `${name}-new`, `${name}-${n}`)));
    expect(others.map(({ code }) => code)).toEqual([202, 202]);
    expect(others[0].sessionId).toBe(others[1].sessionId);
    const asked = await Promise.all(
      nodes.toReversed().map((node, n) => fetch(`${node.httpUrl}/api/calls/${others[n]?.toolCallId}`)),
    );
    expect(asked.map(({ status }) => status)).toEqual([202, 202]);
  }
});
