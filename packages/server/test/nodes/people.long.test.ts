import { randomUUID } from 'node:crypto';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AuditRow, type InteractionRequest, serverChain } from '@parleyhq/core';
import { verifyLinks } from '@parleyhq/store-kit';
import type postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { usePostgres } from '../../../../plugins/postgres/test/support/use-postgres.ts';
import { ParleyProcess } from '../support/command.ts';
import { makeFolder, pluginOf } from '../support/plugin-file.ts';
import { PushService } from '../support/push-service.ts';
import { ServerProcess } from '../support/server-process.ts';
import type { Tab } from '../support/tab.ts';
import { lookInto } from './support/look-into.ts';

/** A tool that asks for permission, which people can give for always. */
const plugin = `
export default {
  name: 'asking',
  tools: [{
    name: 'sweep',
    description: 'Sweeps.',
    parameters: { type: 'object' },
    handler: async (args, ctx) => {
      const { action } = await ctx.approve({ title: 'Sweep?', key: 'sweep', scopes: ['once', 'always'], ...args });
      return { action };
    },
  }],
};
`;

const ownerToken = 'parley_the-owner-of-both-nodes';
const patience = { timeout: 30_000 };

interface Fleet {
  readonly nodes: readonly [ServerProcess, ServerProcess];
  readonly sql: postgres.Sql;
  /** Creates a token while both servers run. */
  addToken(...words: string[]): Promise<{ id: string; token: string }>;
  run(...words: string[]): Promise<string>;
}

/** Starts two nodes with one set of keys; the first is the leader. */
async function startFleet(settings: object = {}, env: Readonly<Record<string, string>> = {}): Promise<Fleet> {
  const config = join(makeFolder(), 'parley.config.json');
  writeFileSync(config, JSON.stringify(settings));
  const url = await (await usePostgres()).createDatabase();
  const options = (dataDir: string) => ({
    dataDir,
    plugins: [pluginOf(plugin)],
    args: ['--config', config],
    env: { PARLEY_STORE: url, PARLEY_TOKEN: ownerToken, PARLEY_PRIVATE_RECEIVERS: 'true', ...env },
  });
  const [dirA, dirB] = [makeFolder(), makeFolder()];
  const a = await ServerProcess.start(options(dirA));
  onTestFinished(() => a.remove());
  copyFileSync(join(dirA, 'push-keys.json'), join(dirB, 'push-keys.json'));
  const b = await ServerProcess.start(options(dirB));
  onTestFinished(() => b.remove());
  const run = async (...words: string[]) => {
    const { code, stdout, stderr } = await new ParleyProcess(words, { env: { PARLEY_STORE: url } }).end();
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return stdout;
  };
  const addToken = async (...words: string[]) => JSON.parse(await run('token', 'create', '--json', ...words));
  return { nodes: [a, b], sql: lookInto(url), addToken, run };
}

const as = (token: string) => ({ hello: { token } });
const owner = as(ownerToken);

function post(node: ServerProcess, path: string, token: string, body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return fetch(node.httpUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function createSession(at: Tab, ...others: Tab[]): Promise<string> {
  const id = await at.createSession();
  for (const tab of others) await tab.until((frame) => frame.type === 'session_created' && frame.session.id === id);
  for (const tab of [at, ...others]) await tab.follow(id);
  return id;
}

test('[OPS4, APR4] grants that are given, used and revoked at one node are updated at the other', {
  timeout: 180_000,
}, async () => {
  const { nodes } = await startFleet();
  const [atA, atB] = (await Promise.all(nodes.map((node) => node.open(owner)))) as [Tab, Tab];
  const session = await createSession(atA, atB);
  const told = async (from: number) => {
    await atB.until((frame) => frame.type === 'grants_changed', from);
    const { grants } = await atB.ask<{ grants: { id: string; uses: number }[] }>({ type: 'list_grants' });
    return grants;
  };
  await atA.say(session, '/call sweep {}');
  const prompt = await atA.prompt(session);
  let seen = atB.frames.length;
  expect(await atA.answer(session, prompt, { action: 'approve', approvalScope: 'always' })).toMatchObject({ ok: true });
  const given = await told(seen);
  expect(given).toHaveLength(1);
  const end = await atB.event(session, 'turn_end');
  seen = atB.frames.length;
  await atA.say(session, '/call sweep {}');
  await atB.event(session, 'turn_end', undefined, end.seq);
  await expect.poll(async () => (await told(seen))[0]?.uses, patience).toBeGreaterThan(given[0]?.uses ?? 0);
  seen = atB.frames.length;
  await atA.ask({ type: 'revoke_grant', grantId: given[0]?.id ?? '' });
  await expect.poll(() => told(seen), patience).toEqual([]);
});

test('[OPS4, SEC9] a token that is revoked, and a log-in that is ended at one node, end their connections at the other', {
  timeout: 180_000,
}, async () => {
  const { nodes, addToken, run } = await startFleet();
  const [a, b] = nodes;
  const ann = await addToken('--role', 'responder', '--name', 'Ann');
  const tabs = await Promise.all([a.open(as(ann.token)), b.open(as(ann.token))]);
  await run('token', 'revoke', ann.id);
  await expect.poll(() => tabs.map(({ closeCode }) => closeCode), patience).toEqual([4401, 4401]);

  const login = async (node: ServerProcess) => {
    const headers = { 'content-type': 'application/json', origin: node.httpUrl };
    const response = await fetch(`${node.httpUrl}/api/login`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ token: ownerToken }),
    });
    expect(response.ok).toBe(true);
    return (response.headers.get('set-cookie') ?? '').split(';')[0]?.split('=')[1] ?? '';
  };
  const cookie = await login(a);
  const browserAt = ({ httpUrl, ready }: ServerProcess) => ({
    origin: httpUrl,
    cookie: `parley_${ready.port}=${cookie}`,
  });
  const atB = await b.open({ headers: browserAt(b) });
  const out = await fetch(`${a.httpUrl}/api/logout`, { method: 'POST', headers: browserAt(a) });
  expect(out.ok).toBe(true);
  await expect.poll(() => atB.closeCode, patience).toBe(4401);
});

test('[OPS4, SEC2] the address that one node printed logs in one browser at the other, once, and expires with its node', {
  timeout: 180_000,
}, async () => {
  const { nodes } = await startFleet();
  const [a, b] = nodes;
  const codeOf = ({ ready: { url } }: ServerProcess) => new URL(url).hash.slice('#code='.length);
  const [codeA, codeB] = [codeOf(a), codeOf(b)];
  const show = (node: ServerProcess, code: string, more: Record<string, string> = {}) =>
    fetch(`${node.httpUrl}/api/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: node.httpUrl, ...more },
      body: JSON.stringify({ code }),
    });
  const shown = await Promise.all([b, a, b, a].map((node) => show(node, codeA)));
  expect(shown.map(({ status }) => status).toSorted()).toEqual([204, 401, 401, 401]);
  const cookie = shown.map(({ headers }) => headers.get('set-cookie')).find((each) => each !== null);
  const value = cookie?.split(';')[0]?.split('=')[1];
  const second = await show(b, codeA, { cookie: `parley_${b.ready.port}=${value}` });
  expect([second.status, second.headers.get('set-cookie')]).toEqual([204, null]); // a second tab
  expect((await show(b, codeA)).status).toBe(401);
  await b.kill('SIGTERM');
  expect((await show(a, codeB)).status).toBe(401);
});

test('[OPS4, SEC11] what a person spends and how often they are connected at one node counts at the other', {
  timeout: 180_000,
}, async () => {
  const { nodes, addToken } = await startFleet({ quotas: { messagesPerHour: 4, connections: 2 } });
  const { token } = await addToken('--role', 'responder', '--name', 'Ann');
  const [atA, atB] = (await Promise.all(nodes.map((node) => node.open(as(token))))) as [Tab, Tab];
  const session = await createSession(atA, atB);
  const send = (tab: Tab) =>
    tab.request({ type: 'user_message', sessionId: session, messageId: randomUUID(), text: 'Hi' });
  for (let sent = 0; sent < 3; sent += 1) expect(await send(atA)).toMatchObject({ ok: true });
  const counted = () => atB.request({ type: 'user_message', sessionId: session, messageId: randomUUID(), text: 'Hi' });
  expect(await counted()).toMatchObject({ ok: true });
  for (const tab of [atA, atB])
    await expect
      .poll(() => send(tab), patience)
      .toMatchObject({ ok: false, error: { code: 'rate_limited', details: { limit: 'messagesPerHour' } } });
  const third = async () => {
    const tab = await nodes[1].open({ ...as(token), hello: null });
    tab.send({ type: 'hello', protocol: 1, clientId: randomUUID(), token });
    await expect.poll(() => tab.closeCode ?? tab.frames[0]?.type, patience).toBeDefined();
    await tab.close();
    return tab.closeCode;
  };
  await expect.poll(third, patience).toBe(4429);
});

test('[OPS4, SEC7] the audit of the whole server is one chain, whichever node adds to it', {
  timeout: 180_000,
}, async () => {
  const { nodes, sql } = await startFleet();
  const tabs = await Promise.all(nodes.map((node) => node.open(owner)));
  const ask = async (tab: Tab, n: number) => {
    const session = await tab.createSession();
    await tab.follow(session);
    await tab.say(session, `/call sweep {"key":"sweep ${n}"}`);
    await tab.answer(session, await tab.prompt(session), { action: 'approve', approvalScope: 'always' });
    await tab.event(session, 'turn_end');
  };
  await Promise.all(Array.from({ length: 10 }, (_, n) => ask(tabs[n % 2] as Tab, n)));
  const rows = await sql<AuditRow[]>`select n, text, hash from audit where session_id = ${serverChain} order by n`;
  expect(rows.filter(({ text }) => text.includes('grant_given'))).toHaveLength(10);
  expect([...verifyLinks(rows)]).toEqual([]);
});

async function startService(): Promise<PushService> {
  const service = new PushService();
  await service.start();
  onTestFinished(() => service.remove());
  return service;
}

test.each(['SIGKILL', 'SIGSTOP'] as const)(
  '[OPS4, NTF1, NTF2] a device that was added at one node is told once of each prompt; after %s of the node that tells by the other',
  { timeout: 180_000 },
  async (signal) => {
    const service = await startService();
    const { nodes, sql, addToken } = await startFleet({}, { PARLEY_NOTIFY_AFTER_MS: '1000' });
    const [a, b] = nodes;
    const { token } = await addToken('--role', 'responder', '--name', 'Ann');
    const { subscription, endpoint } = service.subscribe();
    expect((await post(b, '/api/push/subscriptions', token, { subscription })).status).toBe(200);
    const asker = await b.open(owner); // it never reports that somebody looks at it
    const session = await createSession(asker);
    const ask = async () => {
      const last = asker.events(session).at(-1)?.seq;
      await asker.say(session, '/call sweep {}');
      return asker.prompt(session, last);
    };
    const toldOf = (type: string, { interactionId }: InteractionRequest) =>
      service.messages.filter(
        ({ path, data }) => endpoint.endsWith(path) && data.type === type && data.interactionId === interactionId,
      );
    const isTold = (type: string, prompt: InteractionRequest) =>
      expect.poll(() => toldOf(type, prompt).length, { timeout: 60_000 }).toBe(1);

    const first = await ask();
    await isTold('waiting', first);
    await asker.answer(session, first, { action: 'approve' });
    await isTold('settled', first);
    const unfinished = () => sql`select 1 from deliveries where state in ('due', 'sent')`;
    await expect.poll(unfinished, patience).toEqual([]); // what is in flight when a node ends may arrive twice
    process.kill(a.ready.pid, signal);
    const second = await ask();
    await isTold('waiting', second);
    if (signal === 'SIGSTOP') {
      process.kill(a.ready.pid, 'SIGCONT');
      const woken = await a.open(owner);
      await woken.follow(session);
      await woken.answer(session, second, { action: 'approve' });
    } else await asker.answer(session, second, { action: 'approve' });
    await isTold('settled', second);
    const third = await ask();
    await isTold('waiting', third);
    for (const [type, prompt] of [
      ['waiting', first],
      ['settled', first],
      ['waiting', second],
      ['settled', second],
    ] as const)
      expect(toldOf(type, prompt)).toHaveLength(1);
    expect(service.faults).toEqual([]);
  },
);

test('[OPS4, NTF2] a button of a notification works at any node', { timeout: 180_000 }, async () => {
  const service = await startService();
  const { nodes, addToken } = await startFleet({}, { PARLEY_NOTIFY_AFTER_MS: '100' });
  const [a, b] = nodes;
  const { subscription } = service.subscribe();
  const ann = await addToken('--role', 'responder', '--name', 'Ann');
  await post(a, '/api/push/subscriptions', ann.token, { subscription, detail: 'subject' });
  const asker = await a.open(owner);
  const session = await createSession(asker);
  await asker.say(session, '/call sweep {"subject":{"kind":"command","text":"sweep"},"risk":"low"}');
  const { data } = await service.message();
  const buttons = data.buttons as { action: string; token: string }[];
  const { token } = buttons.find(({ action }) => action === 'deny') ?? { token: '' };
  const pressed = await post(b, '/api/push/answer', ann.token, { token, action: 'deny' });
  expect(pressed.status).toBe(200);
  const answered = await asker.event(session, 'interaction_response');
  expect(answered.payload).toMatchObject({ action: 'deny', by: { transport: 'push' } });
});

test('[OPS4, NTF1] people who look at a page of one node are not notified by the other, until they leave', {
  timeout: 180_000,
}, async () => {
  const service = await startService();
  const { nodes, addToken } = await startFleet({}, { PARLEY_NOTIFY_AFTER_MS: '3000' });
  const [a, b] = nodes;
  const [ann, bob] = [
    await addToken('--role', 'responder', '--name', 'Ann'),
    await addToken('--role', 'responder', '--name', 'Bob'),
  ];
  const devices = [service.subscribe(), service.subscribe()] as const;
  for (const [n, { token }] of [ann, bob].entries())
    await post(a, '/api/push/subscriptions', token, { subscription: devices[n]?.subscription });
  const page = await b.open(as(ann.token)); // the other node notifies
  await page.ask({ type: 'activity', visible: true });
  const asker = await a.open(owner);
  const session = await createSession(asker);
  await asker.say(session, '/call sweep {}');
  await service.message(({ path }) => devices[1].endpoint.endsWith(path));
  const annWasTold = () => service.messages.some(({ path }) => devices[0].endpoint.endsWith(path));
  expect(annWasTold()).toBe(false);
  await page.close();
  await expect.poll(annWasTold, patience).toBe(true);
});

test('[OPS4, TEAM4] a node that was considered dead, and one that lost notifications, resynchronise presence in both directions', {
  timeout: 120_000,
}, async () => {
  const { nodes, sql } = await startFleet();
  const [a, b] = nodes;
  const [atA, atB] = [await a.open(owner), await b.open(owner)];
  const session = await createSession(atA, atB);
  const here = (tab: Tab) => tab.frames.findLast((frame) => frame.type === 'presence')?.connections;
  const expectHere = (tab: Tab, count: number) => expect.poll(() => here(tab), { timeout: 60_000 }).toBe(count);
  await Promise.all([expectHere(atA, 2), expectHere(atB, 2)]);
  process.kill(a.ready.pid, 'SIGSTOP');
  await expectHere(atB, 1);
  const second = await b.open(owner);
  await second.follow(session);
  await expectHere(atB, 2);
  process.kill(a.ready.pid, 'SIGCONT');
  await Promise.all([expectHere(atB, 3), expectHere(atA, 3)]);

  await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'parley' and datname = current_database()`;
  const isReady = async () => (await fetch(`${a.httpUrl}/readyz`)).ok;
  await expect.poll(isReady, patience).toBe(true);
  const third = await a.open(owner); // messages between the nodes may be lost
  await third.follow(session);
  await Promise.all([expectHere(atA, 4), expectHere(atB, 4)]);
});
