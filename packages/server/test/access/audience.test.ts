import {
  type Audience,
  type ChatEvent,
  canonicalise,
  definePlugin,
  type InteractionRequest,
  type Json,
  type ToolContext,
} from '@parleyhq/core';
import { beforeAll, expect, test } from 'vitest';
import { useGuardedServer } from '../support/guarded-server.ts';
import { Journey, loadPlugin, question } from '../support/journey.ts';
import { pluginOf } from '../support/plugin-file.ts';
import type { Tab } from '../support/tab.ts';
import { startServer } from '../support/use-server.ts';

/** Asks for approval under one key for everybody, so that one user's grant could cover another's prompt. */
const guard = definePlugin({
  name: 'guard',
  tools: [
    {
      name: 'guarded',
      description: 'Asks those it is told to.',
      parameters: { type: 'object' },
      handler: ({ audience }: Record<string, unknown>, ctx: ToolContext) =>
        ctx.approve({
          key: ['all', ctx.toolCallId.length],
          scopes: ['once', 'session'],
          audience: audience as Audience,
        }),
    },
  ],
});

const scripted = await loadPlugin('scripted.mjs');
const server = useGuardedServer({ plugins: [scripted, guard] });
let owner: Tab;
let ann: Tab;
let bob: Tab;
beforeAll(async () => {
  owner = await server.enter();
  ann = await server.enter({ role: 'responder', name: 'Ann' });
  bob = await server.enter({ role: 'responder', name: 'Bob' });
});

async function ask(args: object): Promise<{ session: string; prompt: InteractionRequest }> {
  const session = await owner.createSession();
  await owner.follow(session);
  await owner.say(session, `/call scripted ${JSON.stringify(args)}`);
  return { session, prompt: await owner.prompt(session) };
}

const forbidden = { ok: false, error: { code: 'forbidden' } };
const submit = { action: 'submit', input: { answer: 'tea' } };

test('[SEC4] a prompt for operators is visible to everybody and answered by operators only', async () => {
  const audience = { role: 'operator' };
  const { session, prompt } = await ask({ request: question('answer', { audience }) });
  expect(prompt).toMatchObject({ audience });
  await ann.follow(session);
  expect(await ann.prompt(session)).toMatchObject({ interactionId: prompt.interactionId });
  expect(await ann.answer(session, prompt, submit)).toMatchObject(forbidden);
  expect(await owner.answer(session, prompt, submit)).toMatchObject({ ok: true });
  expect(await ann.answer(session, prompt, submit)).toMatchObject(forbidden);
});

test('[SEC4] a prompt for named principals is answered by nobody else, whatever their role', async () => {
  const { session, prompt } = await ask({ request: question('answer', { audience: { principals: ['Ann'] } }) });
  expect(await bob.answer(session, prompt, submit)).toMatchObject(forbidden);
  expect(await owner.answer(session, prompt, submit)).toMatchObject(forbidden);
  expect(await ann.answer(session, prompt, submit)).toMatchObject({ ok: true });
});

test('[SEC4, INT8] a reprompt keeps its audience', async () => {
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

test('[SEC4, INT14] a prompt whose audience is absent is unavailable', async () => {
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
])('[SEC4] an invalid audience is refused with a message: %j', async (audience, place) => {
  const session = await owner.createSession();
  await owner.follow(session);
  await owner.say(session, `/call scripted ${JSON.stringify({ request: question('a', { audience }) })}`);
  const { error } = (await owner.event(session, 'tool_result')).payload;
  expect(error).toMatchObject({ code: 'tool_error', message: expect.stringContaining(place) });
});

test('[SEC4, APR4] a grant settles the prompts its giver could have answered, and leaves the rest open', async () => {
  const session = await owner.createSession();
  await owner.follow(session);
  const audiences = [
    { principals: ['Ann', 'Bob'] },
    { principals: ['Ann'] },
    { principals: ['Bob'] },
    { role: 'operator' },
  ];
  const calls = audiences.map((audience) => `/call guarded ${JSON.stringify({ audience })}`);
  await owner.say(session, calls.join('\n'));
  const requests = () => owner.events(session).filter(({ type }) => type === 'interaction_request');
  await owner.until(() => requests().length === audiences.length);
  const promptOf = (n: number) =>
    requests().find(
      ({ payload }) => 'audience' in payload && canonicalise(payload.audience) === canonicalise(audiences[n] as Json),
    )?.payload as InteractionRequest;
  await ann.answer(session, promptOf(0), { action: 'approve', approvalScope: 'session' });
  const isCovered = ({ payload }: ChatEvent<'interaction_response'>) => payload.grantId !== undefined;
  const covered = await owner.event(session, 'interaction_response', isCovered);
  expect(covered.payload).toMatchObject({ interactionId: promptOf(1).interactionId, by: { name: 'Ann' } });
  expect(await bob.answer(session, promptOf(2), { action: 'deny' })).toMatchObject({ ok: true });
  expect(await owner.answer(session, promptOf(3), { action: 'deny' })).toMatchObject({ ok: true });
});

const narrowing = `export default {
  name: 'narrowing',
  tools: [{
    name: 'narrow',
    description: 'Asks Ann, once it is told to.',
    parameters: { type: 'object' },
    handler: (args, ctx) => ctx.requestInteraction({
      ...args.request,
      onResponse: ({ input }) => ({ reprompt: input.answer === 'narrow' ? { audience: { principals: ['Ann', 'owner'] } } : {} }),
    }),
  }],
}`;

test('[SEC4, INT8, DUR2] a reprompt that narrows its audience survives a restart', {
  timeout: 60_000,
}, async () => {
  const first = await startServer({ plugins: [pluginOf(narrowing)] });
  const journey = await Journey.begin(first);
  const prompt = await journey.ask('narrow', { request: question('answer') });
  await journey.submit(prompt, { answer: 'narrow' });
  const second = await journey.next(prompt);
  expect(second.audience).toEqual({ principals: ['Ann', 'owner'] });
  await first.restart();
  const resumed = await journey.join(first);
  await resumed.submit(second, { answer: 'again' });
  expect((await resumed.next(second)).audience).toEqual(second.audience);
});
