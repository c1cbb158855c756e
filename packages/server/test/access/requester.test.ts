import {
  type Audience,
  type ChatEvent,
  definePlugin,
  type InteractionRequest,
  type Json,
  type ToolContext,
} from '@parleyhq/core';
import { beforeAll, expect, test } from 'vitest';
import { startGuardedServer, useGuardedServer } from '../support/guarded-server.ts';
import type { Tab } from '../support/tab.ts';

interface Args {
  readonly key?: string;
  readonly audience?: Audience;
  readonly risk?: 'high';
  readonly look?: boolean;
}

/** Asks for permission under one key of a session; `look` takes a grant beforehand, whoever is asked. */
const guard = definePlugin({
  name: 'guard',
  tools: [
    {
      name: 'guarded',
      description: 'Asks those it is told to.',
      parameters: { type: 'object' },
      async handler({ key = 'key', audience, risk, look }: Args, ctx: ToolContext) {
        if (look) await ctx.approvals.get(key);
        const { approved } = await ctx.approve({
          key,
          ...(audience && { audience }),
          ...(risk && { risk }),
        });
        return approved;
      },
    },
    {
      name: 'gated',
      description: 'Is asked about at the gate, at high risk.',
      parameters: { type: 'object' },
      approval: 'always',
      describe: () => ({ risk: 'high' }),
      handler: () => true,
    },
    {
      name: 'preset',
      description: 'Grants by itself.',
      parameters: { type: 'object' },
      handler: (_: Args, ctx: ToolContext) => ctx.approvals.set('key', 'session').then(() => null),
    },
  ],
});

const server = useGuardedServer({ plugins: [guard] });
let owner: Tab;
let ann: Tab;
let bob: Tab;
beforeAll(async () => {
  owner = await server.enter();
  ann = await server.enter({ role: 'responder', name: 'Ann', owner: 'ann' });
  bob = await server.enter({ role: 'responder', name: 'Bob' });
});

const forbidden = { ok: false, error: { code: 'forbidden' } };
const approve = { action: 'approve' };
const approveForSession = { action: 'approve', approvalScope: 'session' };

async function begin(permissionMode?: string): Promise<string> {
  const { session } = await owner.ask<{ session: { id: string } }>({
    type: 'create_session',
    ...(permissionMode && { permissionMode: permissionMode as never }),
  });
  for (const tab of [owner, ann, bob]) await tab.follow(session.id);
  return session.id;
}

/** Has somebody call the tool. @returns what comes first, its prompt or its result */
async function call(by: Tab, session: string, args: Args, tool = 'guarded'): Promise<ChatEvent> {
  const { seq } = await by.say(session, `/call ${tool} ${JSON.stringify(args)}`);
  const isNext = (event: ChatEvent) =>
    event.seq > seq && (event.type === 'interaction_request' || event.type === 'tool_result');
  await owner.until(() => owner.events(session).some(isNext));
  return owner.events(session).find(isNext) as ChatEvent;
}

async function ask(by: Tab, session: string, args: Args): Promise<InteractionRequest> {
  const event = await call(by, session, args);
  if (event.type !== 'interaction_request') throw new Error(`not asked: ${JSON.stringify(event)}`);
  return event.payload;
}

const over = (session: string, { toolCallId }: InteractionRequest) =>
  owner.event(session, 'turn_end', ({ seq }) =>
    owner
      .events(session)
      .some((event) => event.type === 'tool_result' && event.seq < seq && event.payload.toolCallId === toolCallId),
  );

test('[TEAM2, SEC4] at high risk a responder does not approve what it asked for, with any of its tokens', async () => {
  const session = await begin();
  const annsPhone = await server.enter({ role: 'responder', name: 'Ann, phone', owner: 'ann' });
  const prompt = await ask(ann, session, { risk: 'high' });
  expect(prompt.requesters).toEqual(['ann']);
  expect(await ann.answer(session, prompt, approve)).toMatchObject(forbidden);
  expect(await annsPhone.answer(session, prompt, approve)).toMatchObject(forbidden);
  expect(await bob.answer(session, prompt, approve)).toMatchObject({ ok: true });
});

test('[TEAM2] an operator approves at high risk what it asked for, unless requesters are excluded', async () => {
  const session = await begin();
  const risky = await ask(owner, session, { risk: 'high' });
  expect(await owner.answer(session, risky, approve)).toMatchObject({ ok: true });
  await over(session, risky);
  const prompt = await ask(owner, session, { key: 'other', audience: { exclude: ['requester'] } });
  expect(await owner.answer(session, prompt, approve)).toMatchObject(forbidden);
  expect(await ann.answer(session, prompt, approve)).toMatchObject({ ok: true });
});

test('[TEAM2, INT14] somebody who is excluded does not count as available', async () => {
  const alone = await startGuardedServer({ plugins: [guard] });
  const tab = await alone.enter({ role: 'responder', name: 'Ann' });
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, `/call guarded ${JSON.stringify({ risk: 'high' })}`);
  expect((await tab.event(session, 'tool_result')).payload.error).toMatchObject({ code: 'interaction_unavailable' });
});

test('[TEAM2, INT19] a queued message is edited by its author, or by an operator, who is named and becomes a requester', async () => {
  const session = await begin();
  const first = await ask(bob, session, { key: 'wait' });
  const queued = { key: 'queued', risk: 'high' };
  await ann.say(session, 'to be changed', 'queued-message');
  const edit = (tab: Tab, text: string) =>
    tab.request({ type: 'edit_queued', sessionId: session, messageId: 'queued-message', text });
  expect(await edit(bob, 'words of Bob')).toMatchObject(forbidden);
  expect(await edit(ann, 'words of Ann')).toMatchObject({ ok: true });
  expect(await edit(owner, `/call guarded ${JSON.stringify(queued)}`)).toMatchObject({ ok: true });
  await bob.answer(session, first, { action: 'deny' });
  const sent = await owner.event(session, 'user_message', ({ payload }) => payload.messageId === 'queued-message');
  expect(sent.payload).toMatchObject({ from: { name: 'Ann' }, editedBy: [{ principal: 'owner' }] });
  const prompt = await owner.prompt(session, sent.seq);
  expect(prompt.requesters).toEqual(['ann', 'owner']);
  expect(await ann.answer(session, prompt, approve)).toMatchObject(forbidden);
});

test.each<[string, Args]>([
  ['operators alone', { audience: { role: 'operator' } }],
  ['operators by roles', { audience: { roles: ['operator'] } }],
  ['somebody else by name', { audience: { principals: ['Bob', 'owner'] } }],
  ['operators alone, after a look at the key', { audience: { role: 'operator' }, look: true }],
])("[APR1, TEAM1] a responder's session grant passes no approval that asks %s", async (_, args) => {
  const session = await begin();
  const given = await ask(owner, session, {});
  expect(await ann.answer(session, given, approveForSession)).toMatchObject({ ok: true });
  await over(session, given);
  const prompt = await ask(owner, session, args);
  expect(prompt.audience).toEqual(args.audience);
  expect(await owner.answer(session, prompt, approveForSession)).toMatchObject({ ok: true });
  await over(session, prompt);
  const again = await call(owner, session, args);
  expect(again).toMatchObject({ type: 'tool_result', payload: { result: true } }); // the operator's own grant passes it
});

test('[APR1, TEAM2] the grant of a requester passes no approval that excludes requesters', async () => {
  const session = await begin();
  const given = await ask(owner, session, { risk: 'high' });
  expect(await ann.answer(session, given, approveForSession)).toMatchObject({ ok: true });
  await over(session, given);
  expect(await call(bob, session, { risk: 'high' })).toMatchObject({ type: 'tool_result' });
  expect(await call(ann, session, { risk: 'high' })).toMatchObject({ type: 'interaction_request' });
});

test('[APR3, TEAM2] the grant of a requester does not pass the gate either, if its tool names a high risk', async () => {
  const session = await begin();
  const given = await call(owner, session, {}, 'gated');
  if (given.type !== 'interaction_request') throw new Error('not asked');
  expect(await bob.answer(session, given.payload, approveForSession)).toMatchObject({ ok: true });
  await over(session, given.payload);
  expect(await call(ann, session, {}, 'gated')).toMatchObject({ type: 'tool_result', payload: { result: true } });
  expect(await call(bob, session, {}, 'gated')).toMatchObject({ type: 'interaction_request' });
});

test('[APR1, APR6] a grant that a plugin gives by itself passes only approvals for nobody in particular', async () => {
  const session = await begin();
  await call(owner, session, {}, 'preset');
  await owner.event(session, 'turn_end');
  expect(await call(owner, session, {})).toMatchObject({ type: 'tool_result', payload: { result: true } });
  await ask(owner, session, { audience: { role: 'operator' } });
});

test.each<[string, Args, Json]>([
  ['named others', { audience: { principals: ['Ann'] } }, 'interaction_request'],
  ['all but requesters', { audience: { exclude: ['requester'] } }, 'interaction_request'],
  ['operators', { audience: { role: 'operator' } }, 'tool_result'],
  ['anybody', {}, 'tool_result'],
])("[TEAM1, APR3] an operator's mode that asks nothing, and an approval for %s", async (_, args, type) => {
  const session = await begin('bypassPermissions');
  expect(await call(owner, session, args)).toMatchObject({ type });
});
