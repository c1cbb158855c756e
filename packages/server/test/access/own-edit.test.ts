import { type Audience, definePlugin, type InteractionRequest, type ToolContext } from '@parleyhq/core';
import { beforeAll, expect, test } from 'vitest';
import { useGuardedServer } from '../support/guarded-server.ts';
import type { Tab } from '../support/tab.ts';

interface Args {
  readonly amount: number;
  readonly risk?: 'high';
  readonly audience?: Audience;
}

const parameters = { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] };

const bank = definePlugin({
  name: 'bank',
  tools: [
    {
      name: 'pay',
      description: 'Pays what a person allows, or what they make of it.',
      parameters,
      async handler({ amount, risk, audience }: Args, ctx: ToolContext) {
        const asks = { ...(risk && { risk }), ...(audience && { audience }) };
        const approval = await ctx.approve<Args>({ key: ['pay', amount], editable: true, ...asks });
        return approval.approved && approval.args.amount;
      },
    },
    {
      name: 'gated',
      description: 'Is asked about at the gate, and asks for itself at high risk.',
      parameters,
      approval: 'always',
      describe: () => ({ risk: 'low' as const }),
      async handler({ amount }: Args, ctx: ToolContext) {
        const { approved } = await ctx.approve({ key: ['gated', amount], risk: 'high' });
        return approved && amount;
      },
    },
  ],
});

const server = useGuardedServer({ plugins: [bank] });
let owner: Tab;
let ann: Tab;
let bob: Tab;
beforeAll(async () => {
  owner = await server.enter();
  ann = await server.enter({ role: 'responder', name: 'Ann', owner: 'ann' });
  bob = await server.enter({ role: 'responder', name: 'Bob', owner: 'bob' });
});

const approve = { action: 'approve' };
const edit = { action: 'approve', editedArgs: { amount: 2 } };
const words = /^An edit is a request of your own/;
const refused = { ok: false, error: { code: 'forbidden', message: expect.stringMatching(words) } };

/** Starts a call that Ann asked for. @returns its prompt */
async function ask(tool: string, args: Args): Promise<{ session: string; prompt: InteractionRequest }> {
  const session = await owner.createSession();
  for (const tab of [owner, ann, bob]) await tab.follow(session);
  await ann.say(session, `/call ${tool} ${JSON.stringify(args)}`);
  return { session, prompt: await owner.prompt(session) };
}

async function resultOf(session: string): Promise<unknown> {
  return (await owner.event(session, 'tool_result')).payload.result;
}

test('[TEAM2, SEC4] at high risk a responder does not run their own edit: it is refused, and the prompt stays open', async () => {
  const { session, prompt } = await ask('pay', { amount: 1, risk: 'high' });
  expect(await bob.answer(session, prompt, edit)).toMatchObject(refused);
  expect(await bob.answer(session, prompt, approve)).toMatchObject({ ok: true });
  expect(await resultOf(session)).toBe(1);
  const answers = owner.events(session).filter(({ type }) => type === 'interaction_response');
  expect(answers).toHaveLength(1);
});

test('[TEAM2] an operator runs their own edit at high or unknown risk; that of a responder at unknown risk is asked about again', async () => {
  const risky = await ask('pay', { amount: 1, risk: 'high' });
  expect(await owner.answer(risky.session, risky.prompt, edit)).toMatchObject({ ok: true });
  expect(await resultOf(risky.session)).toBe(2);
  const plain = await ask('pay', { amount: 1 });
  expect(await owner.answer(plain.session, plain.prompt, edit)).toMatchObject({ ok: true });
  expect(await resultOf(plain.session)).toBe(2);
  const asked = await ask('pay', { amount: 1 });
  expect(await bob.answer(asked.session, asked.prompt, edit)).toMatchObject({ ok: true });
  const isNext = ({ payload }: { payload: InteractionRequest }) => payload.replaces === asked.prompt.interactionId;
  const { payload: again } = await owner.event(asked.session, 'interaction_request', isNext);
  expect(again).toMatchObject({ risk: 'high', requesters: ['ann', 'bob'] });
  expect(await bob.answer(asked.session, again, approve)).toMatchObject({ ok: false, error: { code: 'forbidden' } });
  expect(await owner.answer(asked.session, again, approve)).toMatchObject({ ok: true });
  expect(await resultOf(asked.session)).toBe(2);
});

test('[TEAM2] if requesters are excluded, nobody runs their own edit, whatever their role', async () => {
  const { session, prompt } = await ask('pay', { amount: 1, audience: { exclude: ['requester'] } });
  expect(await owner.answer(session, prompt, edit)).toMatchObject(refused);
  expect(await bob.answer(session, prompt, edit)).toMatchObject(refused);
  expect(await bob.answer(session, prompt, approve)).toMatchObject({ ok: true });
  expect(await resultOf(session)).toBe(1);
});

test('[TEAM2, APR3] whoever edits at the gate may not approve what the tool then asks at high risk', async () => {
  const { session, prompt: gate } = await ask('gated', { amount: 1 });
  expect(await bob.answer(session, gate, edit)).toMatchObject({ ok: true });
  const isOwn = ({ payload }: { payload: InteractionRequest }) => payload.slot !== gate.slot;
  const { payload: own } = await owner.event(session, 'interaction_request', isOwn);
  expect(own.requesters).toEqual(['ann', 'bob']);
  expect(await bob.answer(session, own, approve)).toMatchObject({ ok: false, error: { code: 'forbidden' } });
  expect(await owner.answer(session, own, approve)).toMatchObject({ ok: true });
  expect(await resultOf(session)).toBe(2);
});
