import { definePlugin, type Notification, type Notifier } from '@parleyhq/core';
import { addToken, useInTest } from '@parleyhq/server/testing';
import { pino } from 'pino';
import { beforeEach, expect, test, vi } from 'vitest';
import { makePushKeys } from '../../src/extensions/notifications/push-keys.ts';
import { makeAskTool } from '../support/ask-tool.ts';
import { Journey } from '../support/journey.ts';
import { type LocalOptions, LocalServer } from '../support/local-server.ts';

const ownToken = 'parley_the-owner-of-this-server';

interface Told {
  readonly news: Notification;
  readonly config: unknown;
}

/** Notifications that the pager received, and how it responds. */
let told: Told[];
let take: () => unknown;

const pager: Notifier = {
  name: 'pager',
  configSchema: {
    type: 'object',
    properties: { number: { type: 'string' }, secret: { type: 'string' } },
    required: ['number'],
    additionalProperties: false,
  },
  notify(news, { config }) {
    told.push({ news, config });
    return take();
  },
};

const asking = definePlugin({
  name: 'asking',
  tools: [makeAskTool({ timeoutMs: null })],
  notifiers: [pager, { name: 'horn', notify: () => new Promise(() => {}) }],
});

const people = { owner: { number: '1' } };
const logged: string[] = [];

beforeEach(() => {
  told = [];
  take = () => undefined;
  logged.length = 0;
});

function start(notifiers: object[], options: LocalOptions = {}): Promise<LocalServer> {
  return useInTest(
    new LocalServer({
      token: ownToken,
      plugins: [asking],
      durations: { notifyAfterMs: 20 },
      log: pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) }),
      reach: { keys: makePushKeys(), notifiers: notifiers as never },
      ...options,
    }),
  );
}

const begin = (server: LocalServer) => Journey.begin(server, { hello: { token: ownToken } });
const call = (server: LocalServer, path: string) =>
  fetch(server.httpUrl + path, { headers: { authorization: `Bearer ${ownToken}` } });

/** Waits for the first notification that is accepted. */
function page(accepts: (told: Told) => boolean = () => true): Promise<Told> {
  return vi.waitFor(() => told.find(accepts) ?? Promise.reject(new Error(JSON.stringify(told))), { timeout: 30_000 });
}

async function deliveries(server: LocalServer): Promise<Record<string, unknown>[]> {
  return (await (await call(server, '/api/deliveries')).json()).deliveries;
}

/** Waits until a delivery is in this state. */
function delivered(server: LocalServer, part: object) {
  return vi.waitFor(async () => expect(await deliveries(server)).toMatchObject([part]), { timeout: 30_000 });
}

test('[NTF3] a notifier notifies its configured recipients, once per prompt, with their own config, and withdraws it', async () => {
  const server = await start([{ notifier: 'pager', config: { secret: 'hunter2hunter2' }, people }]);
  const journey = await begin(server);
  const prompt = await journey.ask('ask', { title: 'Drop the table?', prompt: 'Really?' });
  const { news, config } = await page();
  expect(config).toEqual({ number: '1', secret: 'hunter2hunter2' });
  expect(news).toMatchObject({ type: 'waiting', to: { principal: 'owner' }, interactionId: prompt.interactionId });
  expect(news.url).toBe(`${server.httpUrl}/s/${journey.session}/${prompt.interactionId}`);
  expect(JSON.stringify(news)).not.toMatch(/table|Really/);
  await delivered(server, { target: 'pager:owner', state: 'sent', attempts: 1 });
  await journey.answer(prompt, { action: 'deny' });
  await page(({ news: { type, id } }) => type === 'settled' && id === news.id);
  expect(told).toHaveLength(2);
  expect(await (await call(server, '/metrics')).text()).toContain(
    'parley_deliveries_total{way="pager",result="sent"} 2',
  );
});

test('[NTF1, NTF3] everybody who may answer is notified, even with a token created later, and nobody whose token has ended', async () => {
  const server = await start([
    { notifier: 'pager', name: 'on-call', detail: 'title', people: { ann: { number: '2' }, bob: { number: '3' } } },
  ]);
  const isTo = (name: string) => (each: Told) => each.news.to.name === name;
  const ann = await addToken(server, { role: 'responder', name: 'ann' });
  await (await begin(server)).ask('ask', { title: 'First?' });
  expect((await page(isTo('ann'))).news.title).toBe('First?');
  await addToken(server, { role: 'operator', name: 'bob' });
  await page(isTo('bob'));
  await server.store.tokens.remove(ann.id);
  const isAnnTold = async () => {
    const { interactionId } = await (await begin(server)).ask('ask');
    const isIt = ({ news }: Told) => news.interactionId === interactionId;
    await page((each) => isIt(each) && isTo('bob')(each));
    return told.some((each) => isIt(each) && isTo('ann')(each));
  };
  await expect.poll(isAnnTold, { timeout: 30_000 }).toBe(false);
});

test('[NTF3, INT14] recipients of a notifier count as available', async () => {
  const silent = await start([]);
  const alone = await Journey.begin(silent, { hello: { token: ownToken }, enabled: false });
  expect(await alone.run('ask', { onUnavailable: 'error' })).toMatchObject({
    error: { code: 'interaction_unavailable' },
  });
  const server = await start([{ notifier: 'pager', people }]);
  const journey = await Journey.begin(server, { hello: { token: ownToken }, enabled: false });
  await journey.ask('ask', { onUnavailable: 'error' });
  await page();
});

test('[NTF3, NTF4] a notifier that throws is a coded failure; it is retried until it reports that this would not help', async () => {
  const server = await start([{ notifier: 'pager', people }]);
  take = () => {
    throw Object.assign(new Error('The pager is out of paper.'), { code: 'no_paper' });
  };
  const journey = await begin(server);
  await journey.ask('ask');
  await delivered(server, { state: 'due', attempts: 1, code: 'no_paper', fault: 'The pager is out of paper.' });
  take = () => Promise.reject(Object.assign(new Error('Burnt.'), { isFinal: true }));
  await delivered(server, { state: 'failed', attempts: 2, code: 'handler_error', fault: 'Burnt.' });
  expect((await call(server, '/healthz')).status).toBe(200);
  const metrics = await (await call(server, '/metrics')).text();
  expect(metrics).toContain('parley_deliveries_total{way="pager",result="retried"} 1');
  expect(metrics).toContain('parley_deliveries_total{way="pager",result="failed"} 1');
  expect(logged.join('')).toContain('no_paper');
  expect(logged.join('')).not.toContain('out of paper'); // its author may have put anything there
});

test('[NTF3] odd throws of a notifier do not matter to anybody else', async () => {
  const server = await start([
    { notifier: 'pager', people },
    { notifier: 'pager', name: 'spare', people: { owner: { number: '9' } } },
  ]);
  const hostile = new Proxy({}, { get: () => Promise.reject(new Error('never')) as never });
  const odd = [undefined, null, 'no', hostile, { get isFinal() { throw new Error('no'); } }]; // biome-ignore format: one line each would hide the list
  take = () => {
    if (told.at(-1)?.news.id === told[0]?.news.id) throw odd[told.length % odd.length];
  };
  const journey = await begin(server);
  const prompt = await journey.ask('ask');
  await page(({ config }) => (config as { number: string }).number === '9');
  await journey.answer(prompt, { action: 'deny' });
  expect((await call(server, '/healthz')).status).toBe(200);
});

test('[NTF3, NTF4] a receiver that never responds delays neither the question nor others, and is reported', async () => {
  const server = await start(
    [
      { notifier: 'horn', people: { owner: {} } },
      { notifier: 'pager', people },
    ],
    { durations: { notifyAfterMs: 20, tellMs: 200 } },
  );
  const journey = await begin(server);
  const prompt = await journey.ask('ask');
  await page();
  const horn = async () => (await deliveries(server)).find(({ target }) => target === 'horn:owner');
  await vi.waitFor(async () => expect(await horn()).toMatchObject({ state: 'due', code: 'handler_timeout' }), {
    timeout: 30_000,
  });
  await journey.answer(prompt, { action: 'deny' });
  await page(({ news }) => news.type === 'settled');
  expect(await (await call(server, '/metrics')).text()).toContain(
    'parley_deliveries_total{way="horn",result="retried"} 1',
  );
});

test('[NTF3] a notifier with nothing to send counts as not notified, and is not called again', async () => {
  const server = await start([{ notifier: 'pager', people }]);
  take = () => false;
  await (await begin(server)).ask('ask');
  await delivered(server, { state: 'withdrawn' });
  expect(await (await call(server, '/metrics')).text()).not.toContain('parley_deliveries_total{way="pager"');
});

test.each<[string, string, () => unknown]>([
  ['there was nothing to say', 'withdrawn', () => false],
  ['finally failed', 'failed', () => Promise.reject(Object.assign(new Error('Burnt.'), { isFinal: true }))],
])('[NTF1] a notification that %s is not sent again after a restart', async (_, state, takeFirst) => {
  const server = await start([{ notifier: 'pager', people }]);
  take = takeFirst;
  const { interactionId } = await (await begin(server)).ask('ask');
  await delivered(server, { interactionId, state });
  take = () => undefined;
  await server.restart();
  const later = await (await begin(server)).ask('ask');
  await page(({ news }) => news.interactionId === later.interactionId);
  expect(told.filter(({ news }) => news.interactionId === interactionId)).toHaveLength(1);
});

test('[NTF4] what is not retried counts as failed: withdrawing is tried once', async () => {
  const server = await start([{ notifier: 'pager', people }]);
  const journey = await begin(server);
  const prompt = await journey.ask('ask');
  await delivered(server, { state: 'sent' });
  take = () => Promise.reject(new Error('busy'));
  await journey.answer(prompt, { action: 'deny' });
  await delivered(server, { state: 'withdrawn' });
  const metrics = await (await call(server, '/metrics')).text();
  expect(metrics).toContain('parley_deliveries_total{way="pager",result="failed"} 1');
  expect(metrics).not.toContain('parley_deliveries_total{way="pager",result="retried"}');
});

test('[NTF1] a person whom two names of the configuration mean is notified once', async () => {
  const both = { owner: { number: '1' }, ann: { number: '2' }, 't-ann': { number: '3' } };
  const server = await start([{ notifier: 'pager', people: both }]);
  const journey = await begin(server);
  await addToken(server, { role: 'responder', name: 'ann', id: 't-ann' });
  await journey.ask('ask');
  await page(({ news }) => news.to.principal === 't-ann');
  await vi.waitFor(() => expect(logged.join('')).toContain('mean one person'), { timeout: 30_000 });
  expect(told.filter(({ news }) => news.to.principal === 't-ann')).toHaveLength(1);
  expect(await deliveries(server)).toHaveLength(2);
});

test('[NTF3, SEC8] the log has no credentials of receivers', async () => {
  const number = 'https://hooks.example.org/services/T024/B881/x4Zq';
  const server = await start([{ notifier: 'pager', people: { owner: { number } } }]);
  take = () => Promise.reject(Object.assign(new Error('no'), { code: `refused ${number}`, isFinal: true }));
  await (await begin(server)).ask('ask');
  await delivered(server, { state: 'failed' });
  expect(logged.join('')).toContain('hooks.example.org');
  expect(logged.join('')).not.toContain('x4Zq');
});

test('[TEAM5] the log warns about a tool that escalates by a notifier that is not configured', async () => {
  const server = await start([{ notifier: 'pager', people }]);
  const escalate = [{ afterMs: 60_000, audience: { role: 'operator' }, notify: ['push', 'pagre'] }];
  await (await begin(server)).ask('ask', { escalate });
  await page();
  expect(logged.join('')).toContain('"way":"pagre"');
});

test.each([
  [{ notifier: 'pagr', people }, 'no notifier "pagr". Did you mean "pager"?'],
  [{ notifier: 'pager', people: { owner: {} } }, '"pager" for "owner" does not fit: number'],
  [{ notifier: 'pager', people: { owner: { number: '1', colour: 'red' } } }, 'colour'],
  [{ notifier: 'pager', oneTimeLinks: true, people }, 'only mail goes to one person alone'],
])('[NTF3] a configuration that does not fit prevents the start: %o', async (entry, words) => {
  await expect(start([entry])).rejects.toThrow(words);
});

test('[NTF3] two notifiers with one name prevent the start, and so does an invalid one', async () => {
  const again = definePlugin({ name: 'again', tools: [], notifiers: [pager] });
  await expect(start([], { plugins: [asking, again] })).rejects.toThrow('both have a notifier "pager"');
  const none = definePlugin({ name: 'none', tools: [], notifiers: [{ name: 'x', notfy: () => {} } as never] });
  await expect(start([], { plugins: [none] })).rejects.toThrow('"x" has no "notify"');
  await expect(
    start([
      { notifier: 'pager', people },
      { notifier: 'pager', people },
    ]),
  ).rejects.toThrow('two are called "pager"');
});

test('[NTF3] if a notifier returns an invalid time for its next attempt, it is retried as usual', async () => {
  const server = await start([{ notifier: 'pager', people }]);
  take = () => {
    throw Object.assign(new Error('busy'), { retryAfterMs: Number.NaN });
  };
  await (await begin(server)).ask('ask');
  await delivered(server, { target: 'pager:owner', state: 'due', attempts: 1 });
  expect(told).toHaveLength(1);
});

test('[NTF1, SEC9] people whose token ends while they are notified of one session are not notified of another', async () => {
  const server = await start([{ notifier: 'pager', people: { ann: { number: '2' } } }]);
  const { id, token } = await addToken(server, { role: 'responder', name: 'ann' });
  const tab = await server.open({ hello: { token } });
  await tab.ask({ type: 'activity', visible: true });
  await (await begin(server)).ask('ask');
  await (await begin(server)).ask('ask');
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  take = () => (told.at(-1)?.news.type === 'waiting' ? held : undefined);
  await tab.ask({ type: 'activity', visible: false }); // both are due at once
  await page();
  await server.store.tokens.remove(id);
  const test = () =>
    fetch(`${server.httpUrl}/api/notifiers/test`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ownToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'pager' }),
    });
  await expect.poll(async () => (await test()).status, { timeout: 30_000 }).toBe(404); // there is no recipient any more
  release();
  await delivered(server, { target: `pager:${id}`, state: 'sent' });
  expect(told.filter(({ news: { type } }) => type === 'waiting')).toHaveLength(1);
});

test('[NTF1, NTF3] each prompt of a burst is withdrawn separately, with the number that is left', async () => {
  const server = await start([{ notifier: 'pager', people }], { durations: { notifyAfterMs: 300 } });
  const journey = await begin(server);
  await journey.tab.say(journey.session, '/call ask {}\n/call ask {}');
  const [first, second] = await journey.prompts(2);
  const { news } = await page(({ news }) => news.count === 2);
  if (!first || !second) throw new Error('too little was asked');
  expect(news.interactionId).toBe(second.interactionId);
  await journey.answer(first, { action: 'deny' });
  const settled = await page(({ news: { type } }) => type === 'settled');
  expect(settled.news).toMatchObject({ interactionId: first.interactionId, count: 1 });
  expect(settled.news.id).not.toBe(news.id);
});
