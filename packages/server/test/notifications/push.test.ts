import { definePlugin, defineTool } from '@parleyhq/core';
import { addToken, useInFile, useInTest } from '@parleyhq/server/testing';
import { beforeEach, expect, test, vi } from 'vitest';
import { makePushKeys } from '../../src/extensions/notifications/push-keys.ts';
import { makeAskTool } from '../support/ask-tool.ts';
import { Journey } from '../support/journey.ts';
import { LocalServer } from '../support/local-server.ts';
import { type PushedMessage, PushService } from '../support/push-service.ts';

const asking = definePlugin({
  name: 'asking',
  tools: [
    makeAskTool(),
    defineTool({
      name: 'ask_more',
      description: 'Asks something, and more when it is told to.',
      parameters: { type: 'object' },
      async handler(_, ctx) {
        const ask = (key: string) => ctx.requestInteraction({ type: 'approval', key });
        const first = ask('first');
        await more;
        await Promise.all([first, ...['a', 'b', 'c'].map(ask)]);
      },
    }),
  ],
});

/** When `ask_more` asks more. */
let more: Promise<void>;

const ownToken = 'parley_the-owner-of-this-server';
const service = useInFile(new PushService());

let server: LocalServer;
let now: number;
beforeEach(async () => {
  service.messages.length = 0;
  service.status = 201;
  service.holdUntil(Promise.resolve());
  now = Date.now();
  server = await useInTest(
    new LocalServer({
      token: ownToken,
      plugins: [asking],
      durations: { notifyAfterMs: 20 },
      reach: { keys: makePushKeys(), allowsPrivate: true },
    }),
  );
});

type Door = { readonly token: string; call(path: string, body?: object, method?: string): Promise<Response> };

async function person(role: 'viewer' | 'responder' | 'operator' = 'responder', name?: string): Promise<Door> {
  const { token } = await addToken(server, { role, ...(name !== undefined && { name }) });
  return doorOf(token);
}

function doorOf(token: string): Door {
  const call = (path: string, body?: object, method = body ? 'POST' : 'GET') =>
    fetch(server.httpUrl + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  return { token, call };
}

/** Subscribes a browser of this person. */
async function subscribe({ call }: Door, wish: object = {}) {
  const browser = service.subscribe();
  const response = await call('/api/push/subscriptions', { subscription: browser.subscription, ...wish });
  expect(response.status).toBe(200);
  const path = new URL(browser.endpoint).pathname;
  return { id: (await response.json()).subscription.id as string, path, isFor: (m: PushedMessage) => m.path === path };
}

const begin = () => Journey.begin(server, { hello: { token: ownToken } });
const press = (body: object) =>
  fetch(`${server.httpUrl}/api/push/answer`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const isOf = (type: string) => (message: PushedMessage) => message.data.type === type;

test('[NTF1, NTF2] people who may answer and look at no page are notified, encrypted, and without what is asked', async () => {
  await subscribe(await person());
  const journey = await begin();
  const secret = {
    title: 'Drop the table?',
    prompt: 'Really?',
    subject: { kind: 'command', text: 'rm -rf customers' },
  };
  const prompt = await journey.ask('ask', secret);
  const { data, headers } = await service.message();
  expect(data).toMatchObject({ type: 'waiting', kind: 'approval', count: 1, sessionId: journey.session });
  expect(data.interactionId).toBe(prompt.interactionId);
  expect(data.url).toBe(`${server.httpUrl}/s/${journey.session}/${prompt.interactionId}`);
  expect(JSON.stringify(data)).not.toMatch(/table|Really|customers/);
  expect(headers.urgency).toBe('high');
  expect(service.faults).toEqual([]);
});

test('[REV4, NTF1] a comment that is made while somebody is being notified of the prompt is notified, too', async () => {
  const ann = await subscribe(await person('responder', 'ann'));
  const journey = await begin();
  const { tab, session: sessionId } = journey;
  const comment = async () => {
    const { interactionId } = await journey.ask('ask', { title: 'Deploy?' });
    await service.message(ann.isFor); // it has arrived, and is not acknowledged yet
    await tab.request({ type: 'comment_interaction', sessionId, interactionId, commentId: 'k-1', text: 'When?' });
  };
  service.holdUntil(comment());
  await service.message((message) => ann.isFor(message) && message.data.comment !== undefined);
});

test('[REV4, NTF1] a comment by somebody else is notified once more, with a name only if the device may show more', async () => {
  const ann = await subscribe(await person('responder', 'ann'), { detail: 'title' });
  const bob = await subscribe(await person('responder', 'bob'));
  const journey = await begin();
  const prompt = await journey.ask('ask', { title: 'Deploy?' });
  const { interactionId } = prompt;
  const asked = [await service.message(ann.isFor), await service.message(bob.isFor)];
  expect(asked.map(({ data }) => data.comment)).toEqual([undefined, undefined]);
  const frame = {
    type: 'comment_interaction',
    sessionId: journey.session,
    interactionId,
    text: 'Is it secret?',
  } as const;
  const hasComment = (device: typeof ann) => (message: PushedMessage) =>
    device.isFor(message) && message.data.comment !== undefined;
  await journey.tab.request({ ...frame, commentId: 'k-1' });
  const [told, plain] = [await service.message(hasComment(ann)), await service.message(hasComment(bob))];
  expect(told.data).toMatchObject({
    type: 'waiting',
    interactionId,
    title: 'Deploy?',
    comment: { by: expect.any(String) },
  });
  expect(plain.data).toMatchObject({ type: 'waiting', interactionId, comment: {} });
  expect(JSON.stringify([told.data, plain.data])).not.toContain('secret');
  expect(told.data.id).not.toBe(asked[0]?.data.id);
  await journey.tab.request({ ...frame, commentId: 'k-1' }); // a repeat
  await journey.answer(prompt, { action: 'deny' });
  await service.message((message) => ann.isFor(message) && message.data.type === 'settled');
  expect(
    service.messages.filter((message) => hasComment(ann)(message) && message.data.type === 'waiting'),
  ).toHaveLength(1);
});

test('[NTF1] everybody who may answer is notified, and nobody else', async () => {
  const ann = await subscribe(await person('operator', 'ann'));
  const bob = await subscribe(await person('responder', 'bob'));
  await (await begin()).ask('ask', { audience: { role: 'operator' } });
  await service.message(ann.isFor);
  await (await begin()).ask('ask', { audience: { principals: ['bob'] } });
  await service.message(bob.isFor);
  expect(service.messages).toHaveLength(2);
  const refused = await (await person('viewer')).call('/api/push/subscriptions', {
    subscription: service.subscribe().subscription,
  });
  expect(refused.status).toBe(403);
});

test('[NTF1] nobody is notified while a page of theirs is visible and used; once it is not, they are', async () => {
  const ann = await person('responder');
  const phone = await subscribe(ann);
  const auditActor = await subscribe(await person('responder'));
  const page = await server.open({ hello: { token: ann.token } });
  await page.ask({ type: 'activity', visible: true });
  await (await begin()).ask('ask');
  await service.message(auditActor.isFor);
  expect(service.messages.some(phone.isFor)).toBe(false);
  await page.ask({ type: 'activity', visible: false });
  await service.message(phone.isFor);

  await page.ask({ type: 'activity', visible: true });
  const second = await (await begin()).ask('ask');
  await service.message((message) => auditActor.isFor(message) && message.data.interactionId === second.interactionId);
  expect(service.messages.filter(phone.isFor)).toHaveLength(1);
  await page.close();
  await service.message((message) => phone.isFor(message) && message.data.interactionId === second.interactionId);
});

test('[NTF1] a burst of prompts of one session is one message with a count, and a device is notified once per prompt', async () => {
  await subscribe(await person());
  const journey = await begin();
  let askMore = () => {};
  more = new Promise((resolve) => (askMore = resolve));
  const first = await journey.ask('ask_more');
  expect((await service.message()).data).toMatchObject({ interactionId: first.interactionId, isSilent: false });
  askMore();
  const prompts = await journey.prompts(4);
  const { data } = await service.message(({ data }) => data.count === 4);
  expect(data).toMatchObject({ interactionId: prompts.at(-1)?.interactionId, isSilent: true, buttons: [] });
  expect(service.messages).toHaveLength(2);
});

test('[NTF1] notifications of settled prompts are withdrawn', async () => {
  const phone = await subscribe(await person());
  const journey = await begin();
  const prompt = await journey.ask('ask');
  await service.message(phone.isFor);
  await journey.answer(prompt, { action: 'deny' });
  const { data } = await service.message(isOf('settled'));
  expect(data).toMatchObject({ interactionId: prompt.interactionId, count: 0, buttons: [], isSilent: true });
});

test('[NTF1] during its quiet hours a device is left alone', async () => {
  const hour = (plus: number) => new Date(now + plus * 3_600_000).toISOString().slice(11, 16);
  const asleep = await subscribe(await person(), { quiet: { from: hour(-1), to: hour(1), timeZone: 'UTC' } });
  const awake = await subscribe(await person(), { quiet: { from: hour(1), to: hour(2), timeZone: 'UTC' } });
  await (await begin()).ask('ask');
  await service.message(awake.isFor);
  expect(service.messages.some(asleep.isFor)).toBe(false);
});

test('[NTF1, INT14] people who can be notified count as available, and a prompt then waits for a day', async () => {
  const journey = await Journey.begin(server, { hello: { token: ownToken }, enabled: false });
  expect(await journey.run('ask', { onUnavailable: 'error' })).toMatchObject({
    error: { code: 'interaction_unavailable' },
  });
  await subscribe(await person());
  const prompt = await journey.ask('ask', { onUnavailable: 'error' });
  expect(prompt).toMatchObject({ timeoutMs: 24 * 3_600_000, isUnwatched: true });
  const narrow = await (await begin()).ask('ask', { audience: { role: 'operator' }, onUnavailable: 'wait' });
  expect(narrow.timeoutMs).toBe(5 * 60_000);
});

test('[NTF2] a button denies, once for all; the same press again repeats the reply', async () => {
  await subscribe(await person('responder', 'ann'));
  const journey = await begin();
  const prompt = await journey.ask('ask', { title: 'Delete?' });
  const { data } = await service.message();
  const [deny] = data.buttons as { action: string; token: string }[];
  expect(data.buttons).toHaveLength(1);
  expect(deny?.action).toBe('deny');
  expect((await press({ token: deny?.token, action: 'approve' })).status).toBe(403);
  const first = await press({ token: deny?.token, action: 'deny' });
  expect(first.status).toBe(200);
  expect(await (await press({ token: deny?.token, action: 'deny' })).json()).toEqual(await first.json());
  const [settlement] = journey.settlements(prompt);
  expect(settlement?.payload).toMatchObject({ action: 'deny', by: { name: 'ann', transport: 'push' } });
});

test('[NTF2] Allow once is offered for a short subject that is shown completely, below high risk, if the device may show it', async () => {
  const open = await subscribe(await person(), { detail: 'subject' });
  const titles = await subscribe(await person(), { detail: 'title' });
  const actionsFor = async (device: typeof open, demand: object) => {
    const { interactionId } = await (await begin()).ask('ask', { title: 'Run it?', ...demand });
    const isIt = (message: PushedMessage) => device.isFor(message) && message.data.interactionId === interactionId;
    const { data } = await service.message(isIt);
    return { ...data, actions: (data.buttons as { action: string }[]).map(({ action }) => action) };
  };
  const subject = (text: string) => ({ subject: { kind: 'command', text } });
  const short = subject('npm test');
  expect(await actionsFor(open, short)).toMatchObject({
    title: 'Run it?',
    subject: 'npm test',
    actions: ['deny', 'approve'],
  });
  const shut = await actionsFor(titles, short);
  expect(shut).toMatchObject({ title: 'Run it?', actions: ['deny'] });
  expect(shut).not.toHaveProperty('subject');
  for (const demand of [
    { ...short, risk: 'high' },
    subject('x'.repeat(81)),
    subject('npm test\nrm -rf /'),
    subject('npm test\u202e'),
    {},
  ]) {
    const told = await actionsFor(open, demand);
    expect(told.actions).toEqual(['deny']);
    expect(told).not.toHaveProperty('subject');
  }
});

test('[NTF2] a button answers the prompt that it names, once however often it is pressed, and not after somebody else', async () => {
  await subscribe(await person('responder', 'ann'), { detail: 'subject' });
  const subject = { kind: 'command', text: 'npm test' };
  const journey = await begin();
  await journey.ask('ask', { subject });
  const { data } = await service.message();
  const [deny, approve] = data.buttons as { action: string; token: string }[];
  const answers = await Promise.all([press({ ...approve }), press({ ...approve }), press({ ...approve })]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const late = await press({ ...deny });
  expect([late.status, (await late.json()).error.code]).toEqual([409, 'already_answered']);
  expect((await journey.outcome()).result).toMatchObject({ action: 'approve', approvalScope: 'once' });
});

test('[NTF2] a button is invalid without its device, its login and its epoch, and cannot be forged', async () => {
  const ann = await person('responder', 'ann');
  const { id } = await subscribe(ann);
  const journey = await begin();
  const prompt = await journey.ask('ask');
  const [deny] = (await service.message()).data.buttons as { action: string; token: string }[];
  const forged = Buffer.from(JSON.stringify({ action: 'approve' })).toString('base64url');
  for (const token of ['', 'x', `${forged}.${deny?.token.split('.')[1]}`, `${deny?.token}x`, `${deny?.token}.x`])
    expect((await press({ token, action: 'deny' })).status).toBe(403);
  expect((await ann.call('/api/push/subscriptions', { id }, 'DELETE')).status).toBe(204);
  expect((await press({ ...deny })).status).toBe(401);
  expect(journey.settlements(prompt)).toEqual([]);
});

test('[NTF2, SEC9] a device is forgotten once its token has ended', async () => {
  const { id, token } = await addToken(server, { role: 'responder' });
  await subscribe(doorOf(token));
  const auditActor = await subscribe(await person());
  await server.store.tokens.remove(id);
  await vi.waitFor(async () => expect(await server.store.devices.list()).toHaveLength(1), { timeout: 20_000 });
  await (await begin()).ask('ask');
  await service.message(auditActor.isFor);
  expect(service.messages).toHaveLength(1);
});

test('[NTF2] a browser that accepts no more messages is forgotten', async () => {
  await subscribe(await person());
  service.status = 410;
  await (await begin()).ask('ask');
  await service.message();
  await vi.waitFor(async () => expect(await server.store.devices.list()).toEqual([]), { timeout: 20_000 });
});

test('[NTF1] a receiver that does not respond delays neither the question nor others', async () => {
  const slow = await subscribe(await person());
  const quick = new PushService();
  await useInTest(quick);
  service.holdUntil(new Promise(() => {}));
  const browser = quick.subscribe();
  expect((await (await person()).call('/api/push/subscriptions', { subscription: browser.subscription })).status).toBe(
    200,
  );
  const journey = await begin();
  const prompt = await journey.ask('ask');
  await Promise.all([service.message(slow.isFor), quick.message()]);
  await journey.answer(prompt, { action: 'deny' });
  await quick.message(isOf('settled'));
  expect(service.messages).toHaveLength(1);
});

test('[NTF3, NTF4] sent notifications survive a restart: they are not repeated, and withdrawn if the prompt was settled meanwhile', async () => {
  const ann = await person();
  await subscribe(ann);
  const journey = await begin();
  const prompt = await journey.ask('ask', { timeoutMs: null });
  await service.message();
  const stored = () => server.store.deliveries.list({ limit: 9 });
  await vi.waitFor(async () => expect(await stored()).toMatchObject([{ state: 'sent', attempts: 1 }]));
  const { deliveries } = await (await ann.call('/api/deliveries')).json();
  expect(deliveries).toMatchObject([
    { state: 'sent', interactionId: prompt.interactionId, target: expect.any(String) },
  ]);
  expect(deliveries[0]).not.toHaveProperty('news');
  await server.restart();
  const tab = await server.open({ hello: { token: ownToken } });
  await (await begin()).ask('ask');
  await service.message(({ data }) => data.interactionId !== prompt.interactionId);
  await tab.answer(journey.session, prompt, { action: 'deny' });
  await service.message(({ data }) => data.type === 'settled' && data.interactionId === prompt.interactionId);
  expect(service.messages.filter(({ data }) => data.interactionId === prompt.interactionId)).toHaveLength(2);
});

test('[NTF2, NTF4] a person sees, tries and removes their own devices, and no others', async () => {
  const [ann, bob] = [await person(), await person()];
  const phone = await subscribe(ann, { name: 'Phone' });
  const list = async ({ call }: Door) => (await (await call('/api/push/subscriptions')).json()).subscriptions;
  expect(await list(ann)).toEqual([{ id: phone.id, createdAt: expect.any(String), name: 'Phone', detail: 'none' }]);
  expect(await list(bob)).toEqual([]);
  expect((await bob.call('/api/push/test', { id: phone.id })).status).toBe(404);
  expect((await bob.call('/api/push/subscriptions', { id: phone.id }, 'DELETE')).status).toBe(404);
  expect((await ann.call('/api/push/test', { id: phone.id })).status).toBe(204);
  expect((await service.message(phone.isFor)).data.type).toBe('test');
  service.status = 500;
  const failed = await ann.call('/api/push/test', { id: phone.id });
  expect([failed.status, (await failed.json()).error.message]).toEqual([503, expect.stringContaining('status 500')]);
});

test('[NTF2] endpoints are public addresses only, unless others are allowed', async () => {
  const guarded = await useInTest(new LocalServer({ token: ownToken, plugins: [asking] }));
  server = guarded;
  const ann = await person();
  const { id } = await subscribe(ann);
  const refused = await ann.call('/api/push/test', { id });
  expect((await refused.json()).error.message).toContain('is not a public address');
  for (const subscription of [{}, { ...service.subscribe().subscription, endpoint: 'file:///etc/passwd' }])
    expect((await ann.call('/api/push/subscriptions', { subscription })).status).toBe(400);
  expect(service.messages).toEqual([]);
});

test('[NTF2] a key that cannot be used for encryption is refused on arrival', async () => {
  const { subscription } = service.subscribe();
  const p256dh = Buffer.alloc(65, 4).toString('base64url'); // not a point of the curve
  const refused = await (await person()).call('/api/push/subscriptions', {
    subscription: { ...subscription, keys: { ...subscription.keys, p256dh } },
  });
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('must be a point of P-256')]);
});
