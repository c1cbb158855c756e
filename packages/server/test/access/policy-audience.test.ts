import {
  type Audience,
  definePlugin,
  type Grant,
  type InboxEntry,
  nameCallGrant,
  type ToolContext,
} from '@parleyhq/core';
import type { Policy } from '@parleyhq/runtime';
import { expect, test } from 'vitest';
import { startGuardedServer } from '../support/guarded-server.ts';
import type { Tab } from '../support/tab.ts';
import { caller, marks } from '../support/vault.ts';

const form = { type: 'form', fields: [{ id: 'word', type: 'text', label: 'Word' }] };

/** One tool that asks these people, and one that the gate asks about. */
const plugin = (audience?: Audience) =>
  definePlugin({
    name: 'desk',
    tools: [
      {
        name: 'desk_ask',
        description: 'Asks.',
        parameters: { type: 'object' },
        handler: (_: Record<string, unknown>, ctx: ToolContext) =>
          ctx.requestInteraction({ type: 'input', inputSchema: form as never, ...(audience && { audience }) }),
      },
      {
        name: 'desk_pay',
        description: 'Is asked about.',
        parameters: { type: 'object' },
        approval: 'always',
        handler: () => 'paid',
      },
    ],
  });

async function open({ asks, policy }: { asks?: Audience; policy: Audience }) {
  const policies = [{ tool: 'desk_*', audience: policy }];
  const options = { plugins: [plugin(asks)], agents: [caller], defaultAgent: 'caller', policies };
  const server = await startGuardedServer(options);
  const owner = await server.enter();
  const ann = await server.enter({ role: 'responder', name: 'Ann' });
  const bob = await server.enter({ role: 'responder', name: 'Bob' });
  const session = await owner.createSession();
  for (const tab of [owner, ann, bob]) await tab.follow(session);
  return { server, owner, ann, bob, session };
}

const submit = { action: 'submit', input: { word: 'tea' } };
const forbidden = { ok: false, error: { code: 'forbidden' } };

test('[TEAM1] a policy narrows whom a tool asks, and everybody still sees it', async () => {
  const asks = { principals: ['Ann', 'Bob', 'owner'] };
  const { owner, ann, bob, session } = await open({ asks, policy: { principals: ['Bob', 'Cleo'] } });
  await owner.say(session, 'desk_ask');
  const prompt = await owner.prompt(session);
  expect(prompt.audience).toEqual({ principals: ['Bob'] });
  for (const tab of [owner, ann]) expect(await tab.answer(session, prompt, submit)).toMatchObject(forbidden);
  expect(await bob.answer(session, prompt, submit)).toMatchObject({ ok: true });
});

test('[TEAM1] exclusions of policy and tool unite', async () => {
  const { ann, bob, session } = await open({
    asks: { principals: ['Ann', 'Bob'] },
    policy: { exclude: ['requester'] },
  });
  await ann.say(session, 'desk_ask');
  const prompt = await bob.prompt(session);
  expect(prompt.audience).toEqual({ principals: ['Ann', 'Bob'], exclude: ['requester'] });
  expect(await ann.answer(session, prompt, submit)).toMatchObject(forbidden);
  expect(await bob.answer(session, prompt, submit)).toMatchObject({ ok: true });
});

test('[TEAM1] a tool that asks none of those whom the policy names gets interaction_unavailable, and nobody is asked', async () => {
  const { owner, session } = await open({ asks: { principals: ['Ann'] }, policy: { principals: ['Bob'] } });
  await owner.say(session, 'desk_ask');
  const { error } = (await owner.event(session, 'tool_result')).payload;
  expect(error).toMatchObject({ code: 'interaction_unavailable' });
  expect(owner.events(session).map(({ type }) => type)).not.toContain('interaction_request');
});

test('[TEAM1, APR3] it narrows whom the gate asks, too, and no mode replaces their answer', async () => {
  const { owner, ann, bob, session } = await open({ policy: { principals: ['Ann'] } });
  await owner.ask({ type: 'update_session', sessionId: session, permissionMode: 'bypassPermissions' });
  await owner.say(session, 'desk_pay');
  const prompt = await ann.prompt(session);
  expect(prompt).toMatchObject({ interactionId: `${prompt.toolCallId}.0`, audience: { principals: ['Ann'] } });
  for (const tab of [owner, bob])
    expect(await tab.answer(session, prompt, { action: 'approve' })).toMatchObject(forbidden);
  await ann.answer(session, prompt, { action: 'approve' });
  expect((await owner.event(session, 'tool_result')).payload).toMatchObject({ result: 'paid' });
});

const asksAnn = { audience: { principals: ['Ann'] } };

test.each([
  ['desk_ask', 'asks fewer people', asksAnn],
  ['desk_ask', 'hides the call', { ...asksAnn, visibility: 'audience' }],
  ['desk_pay', 'asks fewer people', asksAnn],
] as const)(
  '[TEAM1, DUR5] what %s has asked when the configuration changes and %s is asked anew, of those',
  async (tool, _, change) => {
    const policies: Policy[] = [];
    const server = await startGuardedServer({
      plugins: [plugin()],
      agents: [caller],
      defaultAgent: 'caller',
      policies,
    });
    const [ann, bob] = [
      await server.makeToken({ role: 'responder', name: 'Ann' }),
      await server.makeToken({ role: 'responder', name: 'Bob' }),
    ];
    const enter = ({ token }: { token: string }) => server.local.open({ hello: { token } });
    const inboxOf = async (tab: Tab) =>
      (await tab.ask<{ open: InboxEntry[] }>({ type: 'list_open' })).open.map(({ interaction }) => interaction);
    const owner = await server.enter();
    const session = await owner.createSession();
    await owner.follow(session);
    await owner.say(session, tool);
    const before = await owner.prompt(session);
    await server.local.restart();
    const same = await enter(bob);
    await same.follow(session);
    await same.event(session, 'turn_resumed');
    expect(await inboxOf(same)).toEqual([before]);

    policies.push({ tool: 'desk_*', ...change }); // read at the next start
    await server.local.restart();
    const [anns, bobs] = [await enter(ann), await enter(bob)];
    await expect.poll(() => inboxOf(anns)).toMatchObject([{ slot: before.slot, digest: before.digest, ...change }]);
    const [prompt = before] = await inboxOf(anns);
    expect(await inboxOf(bobs)).toEqual([]);
    const answer = tool === 'desk_ask' ? submit : { action: 'approve' };
    expect(await bobs.answer(session, before, answer)).toMatchObject({ ok: false });
    expect(await bobs.answer(session, prompt, answer)).toMatchObject(forbidden);
    expect(await anns.answer(session, prompt, answer)).toMatchObject({ ok: true });
  },
);

/** A consent to exactly the gate's call, given by this person. */
function grantOf(name: string, sessionId: string): Grant {
  const by = { clientId: 'c', connectionId: 'c', principal: name, name, transport: 'ws', role: 'responder' };
  const key = nameCallGrant({ name: 'desk_pay' }, { about: marks.args });
  const grant = { id: `by ${name}`, plugin: 'desk', key, scope: 'session', sessionId, uses: 0, by } as const;
  return { ...grant, createdAt: new Date().toISOString(), toolName: 'desk_pay' };
}

test.each([
  ['Bob', 'interaction_request'],
  ['Ann', 'tool_result'],
] as const)('[TEAM1, APR4] where a policy asks Ann, after a call with a grant of %s comes %s', async (name, next) => {
  const { server, owner, session } = await open({ policy: { principals: ['Ann'] } });
  await server.local.store.grants.put(grantOf(name, session));
  await owner.say(session, 'desk_pay');
  const { seq } = await owner.event(session, 'tool_call');
  await owner.event(session, next);
  expect(typeAt(owner, session, seq + 1)).toBe(next);
});

const typeAt = (tab: Tab, session: string, at: number) => tab.events(session).find(({ seq }) => seq === at)?.type;
