import { startParley } from '@parleyhq/client/process';
import { codeOf, makeAppend, makeSession, readSeqs } from '@parleyhq/store-kit/testing';
import { expect, onTestFinished, test } from 'vitest';
import { connect, transact } from '../src/database.ts';
import { openPostgresStore } from '../src/index.ts';
import { StoppedNode } from './support/stopped-node.ts';
import { TcpProxy } from './support/tcp-proxy.ts';
import { usePostgres } from './support/use-postgres.ts';

const patience = { timeout: 60_000 };

/** Creates a database behind a simulated network. */
async function useNetwork(): Promise<{ cable: TcpProxy; url: string; near: string }> {
  const url = await (await usePostgres()).createDatabase();
  const cable = await TcpProxy.before(() => Number(new URL(url).port));
  onTestFinished(() => cable.close());
  return { cable, url: Object.assign(new URL(url), { port: String(cable.port) }).href, near: url };
}

async function open(url: string) {
  const store = await openPostgresStore(url);
  onTestFinished(() => store.close());
  return store;
}

test('[OPS4, DUR8] a network that drops everything is noticed: the node is not ready, rejects commands, and recovers by itself', {
  timeout: 120_000,
}, async () => {
  const { cable, url } = await useNetwork();
  const node = await startParley({ env: { PARLEY_STORE: url } });
  onTestFinished(() => node.stop());
  const tab = await node.tab();
  const readiness = async () => {
    const response = await fetch(`${node.url}/readyz`);
    return { status: response.status, ...(await response.json()) };
  };
  cable.cut();
  const message = { type: 'user_message', sessionId: tab.sessionId, messageId: 'm1', text: 'Hello' } as const;
  const say = () => codeOf(tab.client.request(message));
  const said = say();
  await expect.poll(readiness, patience).toEqual({ ready: false, code: 'storage_failed', status: 503 });
  expect(await said).toBe('RefusalError storage_failed');
  cable.mend();
  await expect.poll(readiness, patience).toMatchObject({ status: 200 });
  expect(await say()).toBe('ok');
  await tab.event('turn_end');
  expect(tab.events('user_message').map(({ payload }) => payload.messageId)).toEqual(['m1']);
});

test('[OPS4, TEAM4] connections that a device on the way has forgotten are closed, also the one that only listens', {
  timeout: 120_000,
}, async () => {
  const { cable, url, near } = await useNetwork();
  const [a, b] = [await open(url), await open(near)];
  const heard: unknown[] = [];
  let gaps = 0;
  await a.bus?.subscribe(
    (message) => heard.push(message),
    () => {
      gaps += 1;
    },
  );
  await a.sessions.create(makeSession('s1'));
  cable.lose();
  const append = () => codeOf(a.events.append(makeAppend('s1', 0)));
  const first = append(); // on an old or a new connection
  await expect.poll(() => gaps, patience).toBeGreaterThan(0);
  b.bus?.publish('of b');
  await expect.poll(() => heard, patience).toEqual(['of b']);
  if ((await first) !== 'ok') await expect.poll(append, patience).toBe('ok');
  expect(await readSeqs(b, 's1')).toEqual([1]);
});

test('[OPS4] rows that a node has locked are soon unlocked if it is stopped or cut off in the middle of a transaction', {
  timeout: 120_000,
}, async () => {
  const { cable, url, near } = await useNetwork();
  const b = await open(near);
  await b.sessions.create(makeSession('s1'));
  const sql = connect(url);
  onTestFinished(() => sql.end({ timeout: 0 }));
  const held = transact(sql, async (group) => {
    await group`select 1 from sessions for update`;
    cable.lose();
    await group`select 1`;
  });
  const ended = expect(held).rejects.toThrow('CONNECTION_CLOSED');
  expect(await codeOf(b.events.append(makeAppend('s1', 0)))).toBe('ok');
  await ended;
});

test('[OPS4] rows are soon unlocked, too, if a node stopped between a statement and its values', {
  timeout: 120_000,
}, async () => {
  const url = await (await usePostgres()).createDatabase();
  const store = await open(url);
  await store.sessions.create(makeSession('s1'));
  const stopped = await StoppedNode.lock(url, 'select 1 from sessions for update', 'select $1::integer');
  onTestFinished(() => stopped.close());
  const renewing = setInterval(() => void store.shared?.renew({ id: 'n1', details: {} }, 15_000), 1000);
  onTestFinished(() => clearInterval(renewing));
  await expect.poll(() => codeOf(store.events.append(makeAppend('s1', 0))), patience).toBe('ok');
});
