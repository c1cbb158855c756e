import { definePlugin, type Notification } from '@parleyhq/core';
import type { Policy } from '@parleyhq/runtime';
import { addToken, useInFile, useInTest } from '@parleyhq/server/testing';
import { expect, test, vi } from 'vitest';
import { makePushKeys } from '../../src/extensions/notifications/push-keys.ts';
import { makeAskTool } from '../support/ask-tool.ts';
import { LocalServer } from '../support/local-server.ts';
import { PushService } from '../support/push-service.ts';

const asking = definePlugin({
  name: 'asking',
  tools: [makeAskTool({ onUnavailable: 'wait' })],
});

const ownToken = 'parley_the-owner-of-this-server';
const service = useInFile(new PushService());

async function open() {
  const server = await useInTest(
    new LocalServer({
      token: ownToken,
      plugins: [asking],
      durations: { notifyAfterMs: 20 },
      reach: { keys: makePushKeys(), allowsPrivate: true },
    }),
  );
  const owner = await server.open({ hello: { token: ownToken } });
  const session = await owner.createSession();
  await owner.follow(session);
  return { server, owner, session };
}

/** Creates a person with this name, with a browser that is subscribed. @returns whether a message is for it */
async function subscribe(server: LocalServer, name: string) {
  const { token } = await addToken(server, { role: 'responder', name });
  const { subscription, endpoint } = service.subscribe();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ subscription });
  const response = await fetch(`${server.httpUrl}/api/push/subscriptions`, { method: 'POST', headers, body });
  expect(response.status).toBe(200);
  const path = new URL(endpoint).pathname;
  return (message: { readonly path: string }) => message.path === path;
}

const stepTo = (name: string, afterMs: number, notify?: boolean | string[]) => ({
  afterMs,
  audience: { principals: [name] },
  ...(notify !== undefined && { notify }),
});

test('[TEAM5, NTF1] people whom a step asks are notified by the ways that it names, by all if it names none, and by none if it says so', async () => {
  const { server, owner, session } = await open();
  const [ann, bob, eve] = [
    await subscribe(server, 'Ann'),
    await subscribe(server, 'Bob'),
    await subscribe(server, 'Eve'),
  ];
  const [cleo, dan] = [await subscribe(server, 'Cleo'), await subscribe(server, 'Dan')];
  const escalate = [
    stepTo('Cleo', 100, false),
    stepTo('Dan', 150, ['mail']),
    stepTo('Bob', 200),
    stepTo('Eve', 250, ['mail', 'push']),
  ];
  await owner.say(session, `/call ask ${JSON.stringify({ audience: { principals: ['Ann'] }, escalate })}`);
  const prompt = await owner.prompt(session);
  for (const isMeant of [ann, bob, eve]) {
    const { data } = await service.message(isMeant);
    expect(data).toMatchObject({ type: 'waiting', interactionId: prompt.interactionId });
  }
  await owner.event(session, 'interaction_escalated', ({ payload }) => payload.step === 4);
  for (const isMeant of [cleo, dan]) expect(service.messages.some(isMeant)).toBe(false);
});

test('[TEAM5, NTF1] people who were asked from the beginning are notified, whatever a later step says', async () => {
  const { server, owner, session } = await open();
  const ann = await subscribe(server, 'Ann');
  await owner.say(
    session,
    `/call ask ${JSON.stringify({ audience: { principals: ['Ann'] }, escalate: [stepTo('Ann', 1, false)] })}`,
  );
  await owner.event(session, 'interaction_escalated');
  await service.message(ann);
});

/** Makes notifiers that record whom they notified. */
function openNotifiers(policies: Policy[] = []) {
  const told: string[] = [];
  const names = ['pager', 'horn'];
  const notifiers = names.map((name) => ({
    name,
    notify: ({ type, to }: Notification) =>
      void (type === 'waiting' && told.push(`${to.name ?? to.principal} by ${name}`)),
  }));
  const people = { owner: {}, Bob: {}, Cleo: {} };
  const settings = names.map((notifier) => ({ notifier, people }));
  const server = new LocalServer({
    token: ownToken,
    plugins: [{ ...asking, notifiers }],
    policies,
    durations: { notifyAfterMs: 20 },
    reach: { keys: makePushKeys(), notifiers: settings },
  });
  return { server, told };
}

test('[TEAM5, NTF3] names in a step select notifiers: only they notify the people whom it asks', async () => {
  const { server, told } = openNotifiers();
  await useInTest(server);
  for (const name of ['Bob', 'Cleo']) await addToken(server, { role: 'responder', name });
  const owner = await server.open({ hello: { token: ownToken } });
  const session = await owner.createSession();
  await owner.follow(session);
  const args = {
    audience: { role: 'operator' },
    escalate: [stepTo('Bob', 1500, ['horn']), stepTo('Cleo', 1600)],
  };
  await owner.say(session, `/call ask ${JSON.stringify(args)}`);
  await owner.event(session, 'interaction_escalated', ({ payload }) => payload.step === 2);
  await vi.waitFor(() => expect(told.filter((each) => each.startsWith('Cleo'))).toHaveLength(2), { timeout: 30_000 });
  expect(told.toSorted()).toEqual(['Bob by horn', 'Cleo by horn', 'Cleo by pager', 'owner by horn', 'owner by pager']);
});

test('[TEAM5, OPS2] a policy that escalates by an unknown notifier prevents the start', async () => {
  const escalate = [{ afterMs: 1, audience: { role: 'operator' as const }, notify: ['pagr'] }];
  const { server } = openNotifiers([{ tool: 'desk_*', escalate }]);
  await expect(server.start()).rejects.toThrow(
    'policies: "desk_*" escalates by "pagr", and no notifier has this name. Did you mean "pager"? There are: push, pager, horn.',
  );
});
