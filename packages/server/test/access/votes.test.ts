import { definePlugin, type InteractionRequest, type ToolContext } from '@parleyhq/core';
import type { Policy } from '@parleyhq/runtime';
import { expect, test } from 'vitest';
import { startGuardedServer } from '../support/guarded-server.ts';
import { loadShippedPlugin } from '../support/journey.ts';
import type { Tab } from '../support/tab.ts';

/** Tools that ask by themselves, that the gate asks about, and that ask nobody. */
const plugin = definePlugin({
  name: 'desk',
  tools: [
    {
      name: 'desk_release',
      description: 'Asks two.',
      parameters: { type: 'object' },
      handler: async (_: Record<string, unknown>, ctx: ToolContext) =>
        ctx.approve({ key: 'release', title: 'Release?', decide: { approve: 2, deny: 2 }, editable: true }),
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

async function open(policies: Policy[] = []) {
  const plugins = [plugin, await loadShippedPlugin('ask-user')];
  const server = await startGuardedServer({ plugins, policies });
  const owner = await server.enter();
  const [annsToken, bobsToken] = [
    await server.makeToken({ role: 'responder', name: 'Ann' }),
    await server.makeToken({ role: 'responder', name: 'Bob' }),
  ];
  const ann = await server.local.open({ hello: { token: annsToken.token } });
  const bob = await server.local.open({ hello: { token: bobsToken.token } });
  const session = await owner.createSession();
  for (const tab of [owner, ann, bob]) await tab.follow(session);
  return { server, owner, ann, bob, session, annsToken };
}

const approve = { action: 'approve' };
const vote = (tab: Tab, session: string, prompt: InteractionRequest, answer: object = approve) =>
  tab.answer(session, prompt, { digest: prompt.digest, ...answer });
const typesOf = (tab: Tab, session: string) =>
  tab.events(session).flatMap(({ type }) => (/vote|response|closed/.test(type) ? [type] : []));

test('[TEAM3] two of three decide: the first vote is published and decides nothing, the second settles', async () => {
  const { owner, ann, bob, session } = await open();
  await owner.say(session, '/call desk_release {}');
  const prompt = await owner.prompt(session);
  expect(prompt).toMatchObject({ decide: { approve: 2, deny: 2 }, approvalScopes: ['once'] });
  expect(prompt).not.toHaveProperty('editable');
  expect(prompt).not.toHaveProperty('grantKey');
  expect(await vote(ann, session, prompt)).toMatchObject({
    ok: true,
    result: { seq: expect.any(Number), vote: true, votes: { approve: 1, deny: 0 } },
  });
  const told = await bob.event(session, 'interaction_vote');
  expect(told.payload).toMatchObject({ action: 'approve', by: { name: 'Ann' }, votes: { approve: 1, deny: 0 } });
  const decided = await vote(bob, session, prompt);
  expect(decided).toMatchObject({ ok: true });
  expect(decided).not.toHaveProperty('result.vote');
  const response = await ann.event(session, 'interaction_response');
  expect(response.payload).toMatchObject({ by: { name: 'Bob' }, votes: { approve: 2, deny: 0 } });
  expect(await vote(owner, session, prompt, { action: 'deny' })).toMatchObject({
    error: { code: 'already_answered' },
  });
  expect((await owner.event(session, 'tool_result')).payload.result).toMatchObject({ approved: true, scope: 'once' });
  expect(typesOf(owner, session)).toEqual(['interaction_vote', 'interaction_response']);
});

test('[TEAM3, FRM6, DUR1] votes and their replies outlive a restart', async () => {
  const { server, owner, ann, session, annsToken } = await open();
  await owner.say(session, '/call desk_release {}');
  const prompt = await owner.prompt(session);
  const answerId = 'ann-1';
  const first = await vote(ann, session, prompt, { ...approve, answerId });
  await server.local.restart();
  const again = await server.local.open({ hello: { token: annsToken.token } });
  expect(await vote(again, session, prompt, { ...approve, answerId })).toMatchObject({
    ok: true,
    result: (first as { result: object }).result,
  });
  const conflict = { error: { code: 'idempotency_conflict' } };
  expect(await vote(again, session, prompt, { action: 'deny', answerId })).toMatchObject(conflict);
  const boss = await server.enter();
  await boss.follow(session);
  expect(await vote(boss, session, prompt)).toMatchObject({ ok: true });
  expect((await boss.event(session, 'tool_result')).payload.result).toMatchObject({ approved: true });
});

test('[TEAM3, SEC9] the vote of a revoked token is removed when the deciding vote arrives', async () => {
  const { server, owner, ann, bob, session, annsToken } = await open();
  await owner.say(session, '/call desk_release {}');
  const prompt = await owner.prompt(session);
  await vote(ann, session, prompt);
  await server.local.store.tokens.remove(annsToken.id);
  expect(await vote(bob, session, prompt)).toMatchObject({
    result: { vote: true, votes: { approve: 1, deny: 0 } },
  });
  const votes = owner.events(session).filter(({ type }) => type === 'interaction_vote');
  expect(votes.at(-1)?.payload).toMatchObject({ struck: [annsToken.id] });
  expect(await vote(owner, session, prompt)).toMatchObject({ ok: true });
  await owner.event(session, 'interaction_response');
});

test('[TEAM3, APR3] a policy counts votes at the gate, no mode or allowing policy replaces one, and the approval is passed on', async () => {
  const decide = { approve: 2 };
  const { owner, ann, bob, session } = await open([{ tool: 'desk_*', effect: 'allow', decide }]);
  await owner.ask({ type: 'update_session', sessionId: session, permissionMode: 'bypassPermissions' });
  await owner.say(session, '/call desk_pay {}');
  const prompt = await owner.prompt(session);
  expect(prompt).toMatchObject({ interactionId: `${prompt.toolCallId}.0`, decide, approvalScopes: ['once'] });
  for (const tab of [ann, bob]) expect(await vote(tab, session, prompt)).toMatchObject({ ok: true });
  expect((await owner.event(session, 'tool_result')).payload.result).toBe('paid');
});

test('[TEAM3, ASK3] request_approval counts votes, and a caller may only ask for more of them than the configuration', async () => {
  const { owner, ann, bob, session } = await open([{ tool: 'request_*', decide: { approve: 2, deny: 2 } }]);
  const ask = async (more: object): Promise<InteractionRequest> => {
    const args = { title: 'Deploy?', subject: { kind: 'text', text: 'x' }, ...more };
    const { seq } = await owner.say(session, `/call request_approval ${JSON.stringify(args)}`);
    return owner.prompt(session, seq);
  };
  const prompt = await ask({ decide: { approve: 1, deny: 2 } });
  expect(prompt.decide).toEqual({ approve: 2, deny: 2 });
  await vote(ann, session, prompt);
  await vote(bob, session, prompt);
  const { result } = (await owner.event(session, 'tool_result')).payload;
  expect(result).toMatchObject({ approved: true, scope: 'once', by: { name: 'Bob' } });
});

test('[TEAM3, SEC7] the audit has a row for each vote', async () => {
  const { server, owner, ann, bob, session } = await open();
  await owner.say(session, '/call desk_release {}');
  const prompt = await owner.prompt(session);
  await vote(ann, session, prompt, { ...approve, reason: 'fine' });
  await vote(bob, session, prompt);
  const rows = (await server.local.store.audit.read(session)).map(({ text }) => JSON.parse(text));
  expect(rows.filter(({ interactionId }) => interactionId === prompt.interactionId)).toMatchObject([
    { event: 'interaction_vote', outcome: 'approve', by: { name: 'Ann' } },
    { event: 'interaction_response', outcome: 'approve', by: { name: 'Bob' } },
  ]);
  expect(JSON.stringify(rows)).not.toContain('fine');
});
