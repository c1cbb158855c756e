import { quotas } from '@parleyhq/core';
import { expect, test, vi } from 'vitest';
import { startGuardedServer } from '../support/guarded-server.ts';
import type { Reply, Tab } from '../support/tab.ts';

const create = (tab: Tab) => tab.request({ type: 'create_session' });
const refusalOf = (limit: string) => ({
  ok: false,
  error: { code: 'rate_limited', details: { limit, retryAfterMs: expect.any(Number) } },
});

/** Returns the replies before the first refusal, which is the last reply. */
async function spendAll(limit: string, request: () => Promise<Reply>): Promise<number> {
  for (let count = 0; count < 1000; count += 1) {
    const reply = await request();
    if (reply.ok) continue;
    expect(reply).toMatchObject(refusalOf(limit));
    return count;
  }
  throw new Error(`never refused for ${limit}`);
}

type Server = Awaited<ReturnType<typeof startGuardedServer>>;
const metricsOf = (server: Server) => server.local.server.metrics.registry.metrics();

async function countRefusals(server: Server, limit: string) {
  return Number(
    new RegExp(`^parley_limits_reached_total\\{limit="${limit}"\\} (\\d+)$`, 'm').exec(await metricsOf(server))?.[1],
  );
}

test('[SEC11] a responder can create at most 200 sessions at once, also with a new connection and with another token of its owner', async () => {
  const server = await startGuardedServer();
  const { token } = await server.makeToken({ role: 'responder', owner: 'ann' });
  const open = () => server.local.open({ hello: { token } });
  const ann = await open();
  expect((await ann.waitFor('welcome')).limits).toMatchObject(quotas);
  const replies = await Promise.all(Array.from({ length: quotas.sessionsPerHour + 20 }, () => create(ann)));
  const refused = replies.filter(({ ok }) => !ok);
  expect(refused).toHaveLength(20);
  for (const reply of refused) expect(reply).toMatchObject(refusalOf('sessionsPerHour'));
  expect(refused[0]).toMatchObject({
    error: { message: expect.stringMatching(/^You may create 200 .* Try again in/) },
  });
  await ann.close();
  const others = [await open(), await server.enter({ role: 'responder', owner: 'ann' })];
  for (const tab of others) expect(await create(tab)).toMatchObject(refusalOf('sessionsPerHour'));
  expect(await countRefusals(server, 'sessionsPerHour')).toBe(22);
  expect(await create(await server.enter({ role: 'responder' }))).toMatchObject({ ok: true });
});

test('[SEC11] operators are limited only if a setting says so', async () => {
  const free = await server();
  const owner = await free.enter();
  expect((await owner.waitFor('welcome')).limits).not.toHaveProperty('sessionsPerHour');
  for (let n = 0; n < 5; n += 1) await owner.createSession();
  const strict = await server({ operators: true });
  const { welcome, done } = await strict.enter({ role: 'operator' }).then(async (tab) => ({
    welcome: await tab.waitFor('welcome'),
    done: await spendAll('sessionsPerHour', () => create(tab)),
  }));
  expect([welcome.limits, done]).toEqual([expect.objectContaining({ sessionsPerHour: 2 }), 2]);

  function server(part: { operators?: boolean } = {}) {
    return startGuardedServer({ quotas: { sessionsPerHour: 2, ...part } });
  }
});

test('[SEC11, FRM6] messages are counted when they are stored, in all sessions together, and a repeat gets its first reply', async () => {
  const server = await startGuardedServer({ quotas: { messagesPerHour: 3 } });
  const tab = await server.enter({ role: 'responder' });
  const sessionId = await tab.createSession();
  const send = (messageId: string) => tab.request({ type: 'user_message', sessionId, messageId, text: 'hello' });
  const first = await send('m0');
  let n = 0;
  expect(await spendAll('messagesPerHour', () => send(`m${++n}`))).toBe(2);
  expect(await send('m0')).toMatchObject({ ok: true, result: (first as { result: object }).result });
  expect(await send('m9')).toMatchObject(refusalOf('messagesPerHour'));
  const other = await tab.createSession();
  expect(
    await tab.request({ type: 'user_message', sessionId: other, messageId: 'm', text: 'elsewhere' }),
  ).toMatchObject(refusalOf('messagesPerHour'));
});

test('[SEC11] a refused message does not count against the storage quota', async () => {
  const server = await startGuardedServer({ quotas: { messagesPerHour: 3 } });
  const tab = await server.enter({ role: 'responder' });
  const sessionId = await tab.createSession();
  const send = (messageId: string, text: string) => tab.request({ type: 'user_message', sessionId, messageId, text });
  for (let n = 0; n < 5; n += 1)
    expect(await send(`blank ${n}`, ' ')).toMatchObject({ ok: false, error: { code: 'invalid' } });
  let n = 0;
  expect(await spendAll('messagesPerHour', () => send(`m${++n}`, 'hello'))).toBe(3);
});

test('[SEC11] whatever a responder adds to a log counts in bytes, in all sessions together, and a refused change leaves no trace', async () => {
  const server = await startGuardedServer({ quotas: { storedBytesPerHour: 60_000 } });
  const owner = await server.enter();
  const tab = await server.enter({ role: 'responder', owner: 'ann' });
  const [first, second] = [await tab.createSession(), await tab.createSession()];
  const rename = (by: Tab, sessionId: string, title: string) =>
    by.request({ type: 'update_session', sessionId, title });
  const say = (by: Tab, sessionId: string, size: number) =>
    by.request({ type: 'user_message', sessionId, messageId: `m ${size}`, text: 'x'.repeat(size) });
  expect(await say(tab, first, 20_000)).toMatchObject({ ok: true });
  expect(await say(tab, second, 50_000)).toMatchObject(refusalOf('storedBytesPerHour'));
  expect((await owner.follow(second)).session.seq).toBe(0);
  const renames = await spendAll('storedBytesPerHour', () => rename(tab, second, 'x'.repeat(150)));
  expect(renames).toBeGreaterThan(10);
  expect(renames).toBeLessThan(200);
  const again = await server.enter({ role: 'responder', owner: 'ann' });
  expect(await say(again, first, 15_000)).toMatchObject(refusalOf('storedBytesPerHour')); // more than comes back in a quarter of an hour
  expect(await rename(owner, first, 'y')).toMatchObject({ ok: true });
  expect(await say(owner, second, 50_000)).toMatchObject({ ok: true });
});

test("[SEC11] a person's number of sessions survives a restart, and decreases when an operator deletes some", async () => {
  const server = await startGuardedServer({ quotas: { ownedSessions: 2 } });
  const { token } = await server.makeToken({ role: 'responder', owner: 'ann' });
  const open = () => server.local.open({ hello: { token } });
  const ann = await open();
  const [, second] = [await ann.createSession(), await ann.createSession()];
  const refusal = { code: 'rate_limited', details: { limit: 'ownedSessions' } };
  const message = 'You may have 2 sessions. Ask an operator to delete some.';
  for (let n = 0; n < 2; n += 1) expect(await create(ann)).toMatchObject({ ok: false, error: { ...refusal, message } });
  expect(await countRefusals(server, 'ownedSessions')).toBe(2);
  await server.local.restart();
  const tabs = [await open(), await server.enter({ role: 'responder', owner: 'ann' })];
  for (const tab of tabs) expect(await create(tab)).toMatchObject({ ok: false, error: refusal });
  const owner = await server.enter();
  await owner.ask({ type: 'delete_session', sessionId: second });
  for (let n = 0; n < 3; n += 1) await owner.createSession();
  expect(await create(tabs[0] as Tab)).toMatchObject({ ok: true });
  expect(await create(tabs[1] as Tab)).toMatchObject({ ok: false, error: refusal });
});

test("[SEC11] a person's connections are limited; one that ends makes room for another", async () => {
  const server = await startGuardedServer({ quotas: { connections: 3 } });
  const { token } = await server.makeToken({ role: 'viewer', owner: 'ann' });
  const { token: other } = await server.makeToken({ role: 'responder', owner: 'ann' });
  const open = (given: string) => server.local.open({ hello: { token: given } });
  const [first] = [await open(token), await open(token), await open(other)];
  const knock = async () => {
    const tab = await server.local.open({ hello: null });
    tab.send({ type: 'hello', protocol: 1, token });
    return { error: await tab.waitFor('error'), code: await tab.closed() };
  };
  expect(await knock()).toMatchObject({
    error: { code: 'rate_limited', details: { limit: 'connections' } },
    code: 4429,
  });
  expect(await countRefusals(server, 'connections')).toBe(1);
  for (let n = 0; n < 4; n += 1) await server.enter();
  await server.enter({ role: 'viewer' });
  let last = first;
  for (let n = 0; n < 5; n += 1) {
    await last?.close();
    await vi.waitFor(async () => expect(await metricsOf(server)).toMatch(/^parley_connections 7$/m)); // the server has seen it
    last = await open(token);
  }
  expect((await knock()).code).toBe(4429);
});
