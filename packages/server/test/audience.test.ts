import type { InteractionRequest } from '@parley/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GuardedServer } from './support/guarded-server.ts';
import { pluginPath, question } from './support/journey.ts';
import type { Tab } from './support/tab.ts';

let server: GuardedServer;
let owner: Tab;
let ann: Tab;
let bob: Tab;
beforeAll(async () => {
  const { default: scripted } = await import(pluginPath('scripted.mjs'));
  server = await GuardedServer.start({ plugins: [scripted] });
  owner = await server.enter();
  ann = await server.enter({ role: 'responder', name: 'Ann' });
  bob = await server.enter({ role: 'responder', name: 'Bob' });
});
afterAll(() => server.remove());

async function ask(args: object): Promise<{ session: string; prompt: InteractionRequest }> {
  const session = await owner.createSession();
  await owner.follow(session);
  await owner.say(session, `/call scripted ${JSON.stringify(args)}`);
  return { session, prompt: await owner.prompt(session) };
}

const forbidden = { ok: false, error: { code: 'forbidden' } };
const submit = { action: 'submit', input: { answer: 'tea' } };

test('[SEC4] a prompt for operators is answered by none less, and all see it', async () => {
  const audience = { role: 'operator' };
  const { session, prompt } = await ask({ request: question('answer', { audience }) });
  expect(prompt).toMatchObject({ audience });
  await ann.follow(session);
  expect(await ann.prompt(session)).toMatchObject({ interactionId: prompt.interactionId });
  expect(await ann.answer(session, prompt, submit)).toMatchObject(forbidden);
  expect(await owner.answer(session, prompt, submit)).toMatchObject({ ok: true });
  expect(await ann.answer(session, prompt, submit)).toMatchObject(forbidden);
});

test('[SEC4] a prompt for somebody is answered by nobody else, whatever their role', async () => {
  const { session, prompt } = await ask({ request: question('answer', { audience: { principals: ['Ann'] } }) });
  expect(await bob.answer(session, prompt, submit)).toMatchObject(forbidden);
  expect(await owner.answer(session, prompt, submit)).toMatchObject(forbidden);
  expect(await ann.answer(session, prompt, submit)).toMatchObject({ ok: true });
});

test('[SEC4, INT8] who is asked again is who was asked', async () => {
  const request = question('answer', { audience: { principals: ['Ann'] } });
  const onResponse = [{ return: { reprompt: { error: 'Again.' } } }, { return: { complete: 1 } }];
  const { session, prompt } = await ask({ request, onResponse });
  await ann.answer(session, prompt, submit);
  const accepts = ({ payload }: { payload: InteractionRequest }) => payload.replaces === prompt.interactionId;
  const next = (await owner.event(session, 'interaction_request', accepts)).payload;
  expect(next.audience).toEqual({ principals: ['Ann'] });
  expect(await bob.answer(session, next, submit)).toMatchObject(forbidden);
  expect(await ann.answer(session, next, submit)).toMatchObject({ ok: true });
});

test('[SEC4, INT14] a prompt for somebody who is not here is for nobody', async () => {
  const session = await owner.createSession();
  await owner.follow(session);
  await owner.say(
    session,
    `/call scripted ${JSON.stringify({ request: question('a', { audience: { principals: ['Eve'] } }) })}`,
  );
  const { error } = (await owner.event(session, 'tool_result')).payload;
  expect(error).toMatchObject({ code: 'interaction_unavailable' });
});

test.each([
  [{ role: 'viewer' }, 'audience.role'],
  [{ principals: [] }, 'audience.principals'],
  [{ principal: 'Ann' }, 'audience.principal'],
])('[SEC4] an audience that is none is refused in words: %j', async (audience, place) => {
  const session = await owner.createSession();
  await owner.follow(session);
  await owner.say(session, `/call scripted ${JSON.stringify({ request: question('a', { audience }) })}`);
  const { error } = (await owner.event(session, 'tool_result')).payload;
  expect(error).toMatchObject({ code: 'tool_error', message: expect.stringContaining(place) });
});
