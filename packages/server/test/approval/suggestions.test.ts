import type { InteractionRequest, Plugin, PluginHost, RuleSuggestion } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { startGuardedServer, useGuardedServer } from '../support/guarded-server.ts';
import { Journey, loadPlugin, pluginPath } from '../support/journey.ts';
import type { Tab } from '../support/tab.ts';
import { startServer } from '../support/use-server.ts';

const suggesting = await loadPlugin('suggesting.mjs');
const policies = [{ tool: 'sweep_voted', decide: { approve: 2 } }];
const server = useGuardedServer({ plugins: [suggesting], policies });

/** A session in which the owner's tab, or another, is asked by tools. */
async function begin(tab?: Tab): Promise<Journey> {
  const entered = tab ?? (await server.enter());
  return Journey.begin({ open: async () => entered });
}

async function settle(journey: Journey, prompt: InteractionRequest, answer: object): Promise<void> {
  expect(await journey.answer(prompt, answer)).toMatchObject({ ok: true });
  const { seq } = await journey.event('tool_result', ({ payload }) => payload.toolCallId === prompt.toolCallId);
  await journey.event('turn_end', undefined, seq);
}

/** Calls a tool with each of these paths, and allows each call once. */
async function allow(journey: Journey, paths: readonly string[], toolName = 'sweep'): Promise<void> {
  for (const path of paths) await settle(journey, await journey.ask(toolName, { path }), { action: 'approve' });
}

async function list(journey: Journey, { interactionId }: Partial<InteractionRequest> = {}): Promise<RuleSuggestion[]> {
  const frame = { type: 'list_suggestions', sessionId: journey.session, ...(interactionId && { interactionId }) };
  return ((await journey.tab.ask(frame as never)) as { suggestions: RuleSuggestion[] }).suggestions;
}

function decide(journey: Journey, suggestion: RuleSuggestion | undefined, more: object): Promise<unknown> {
  const frame = { type: 'decide_suggestion', sessionId: journey.session, suggestionId: suggestion?.id ?? 'none' };
  return journey.tab.request({ ...frame, ...more } as never);
}

const five = ['a', 'b', 'c', 'd', 'e'].map((name) => `tmp/${name}`);

test('[LESS2] after five approvals the card offers the rule that covers them, which then answers it and later calls', async () => {
  const journey = await begin();
  await allow(journey, five);
  const prompt = await journey.ask('sweep', { path: 'tmp/f' });
  expect(prompt).toMatchObject({ suggests: true });
  const suggestions = await list(journey, prompt);
  expect(suggestions).toMatchObject([
    { label: 'everything in tmp', toolName: 'sweep', scopes: ['session', 'always'], count: 5 },
    { label: 'everything', scopes: ['session'], count: 5 },
  ]);
  expect(suggestions[0]?.cases.map(({ text }) => text)).toEqual(five.map((path) => `rm ${path}`).toReversed());
  expect(journey.settlements(prompt)).toEqual([]);

  const [narrow] = suggestions;
  expect(await decide(journey, narrow, { action: 'allow', interactionId: prompt.interactionId })).toMatchObject({
    ok: true,
  });
  expect(await journey.outcome(prompt)).toMatchObject({ result: { approved: true } });
  const { payload } = await journey.event('session_changed');
  expect(payload).toMatchObject({
    rule: { label: 'everything in tmp', scope: 'session', toolName: 'sweep', count: 5 },
    by: { principal: 'owner' },
  });
  const grantId = payload.rule?.grantId;
  expect(journey.settlements(prompt)[0]?.payload).toMatchObject({ grantId });
  await journey.event('turn_end');
  expect(await journey.run('sweep', { path: 'tmp/g' })).toMatchObject({ result: { approved: true, scope: 'session' } });
  await settle(journey, await journey.ask('sweep', { path: 'home/a' }), { action: 'deny' });
  const { grants } = await journey.tab.ask<{ grants: object[] }>({ type: 'list_grants', sessionId: journey.session });
  expect(grants).toMatchObject([{ id: grantId, rule: { label: 'everything in tmp' }, uses: 2 }]);

  await journey.tab.ask({ type: 'revoke_grant', grantId: grantId as string });
  await settle(journey, await journey.ask('sweep', { path: 'tmp/h' }), { action: 'deny' });
});

test('[LESS2, APR7] a suggested rule works at the gate, too', async () => {
  const journey = await begin();
  await allow(journey, five, 'sweep_gated');
  const [found] = await list(journey);
  expect(await decide(journey, found, { action: 'allow', approvalScope: 'always' })).toMatchObject({ ok: true });
  expect(await journey.run('sweep_gated', { path: 'tmp/x' })).toEqual({ result: 'tmp/x' });
  await settle(journey, await journey.ask('sweep', { path: 'tmp/x' }), { action: 'deny' });
  await journey.tab.ask({
    type: 'revoke_grant',
    grantId: journey.events('session_changed').at(-1)?.payload.rule?.grantId as string,
  });
});

test.each<[string, string, readonly string[]]>([
  ['four approvals', 'sweep', five.slice(1)],
  ['approvals that no one rule covers', 'sweep', ['secret/b', 'a/../x', 'b/../x', 'secret/b', 'secret/b']],
  ['approvals at high risk', 'sweep_high', five],
  ['approvals that take no suggestions', 'sweep_bare', five],
])('[LESS2] nothing is suggested after %s', async (_, toolName, paths) => {
  const journey = await begin();
  await allow(journey, paths, toolName);
  const prompt = await journey.ask(toolName, { path: paths[0] });
  expect(await list(journey, prompt)).toEqual([]);
  expect(await list(journey)).toEqual([]);
  await settle(journey, prompt, { action: 'deny' });
});

test('[LESS2] a denial among the cases begins the count anew', async () => {
  const journey = await begin();
  await allow(journey, five.slice(1));
  await settle(journey, await journey.ask('sweep', { path: 'tmp/no' }), { action: 'deny' });
  await allow(journey, five.slice(1));
  expect(await list(journey)).toEqual([]);
  await allow(journey, five.slice(0, 1));
  expect(await list(journey)).toMatchObject([{ label: 'everything in tmp', count: 5 }, { label: 'everything' }]);
});

test('[LESS2, TEAM3] where several people must agree nothing is suggested, and no rule counts as a vote', async () => {
  const [ann, ben] = [await server.enter(), await server.enter({ role: 'responder', owner: 'ben' })];
  const journey = await begin(ann);
  await ben.follow(journey.session);
  for (const path of five) {
    const prompt = await journey.ask('sweep_voted', { path });
    const vote = { action: 'approve', digest: prompt.digest };
    expect(await ben.answer(journey.session, prompt, vote)).toMatchObject({ ok: true });
    await settle(journey, prompt, vote);
  }
  const prompt = await journey.ask('sweep_voted', { path: 'tmp/f' });
  expect(prompt.suggests).toBeUndefined();
  expect(await list(journey, prompt)).toEqual([]);
  expect(await list(journey)).toEqual([]);
});

test('[LESS2, SEC4] rules are suggested to the person who allowed the calls, and to nobody else', async () => {
  const journey = await begin();
  await allow(journey, five);
  const prompt = await journey.ask('sweep', { path: 'tmp/f' });
  const [found] = await list(journey, prompt);
  const other = await server.enter({ role: 'operator' });
  const { interactionId } = prompt;
  const wanted = { type: 'list_suggestions', sessionId: journey.session, interactionId } as const;
  expect(await other.ask(wanted as never)).toEqual({ suggestions: [] });
  const chosen = { type: 'decide_suggestion', sessionId: journey.session, suggestionId: found?.id, action: 'allow' };
  expect(await other.request({ ...chosen, interactionId } as never)).toMatchObject({ error: { code: 'not_found' } });
  const viewer = await server.enter({ role: 'viewer' });
  expect(await viewer.request(chosen as never)).toMatchObject({ error: { code: 'forbidden' } });
  await journey.tab.ask({ type: 'set_interaction_mode', enabled: false });
  expect(await journey.tab.request(chosen as never)).toMatchObject({ error: { code: 'interaction_disabled' } });
  expect(journey.settlements(prompt)).toEqual([]);
});

test('[LESS2, SEC4] a responder allows a rule for the session, and only an operator for always', async () => {
  const responder = await server.enter({ role: 'responder' });
  const journey = await begin(responder);
  await allow(journey, five);
  const [found] = await list(journey);
  expect(found?.scopes).toEqual(['session']);
  expect(await decide(journey, found, { action: 'allow', approvalScope: 'always' })).toMatchObject({
    error: { code: 'forbidden' },
  });
  expect(await decide(journey, found, { action: 'allow' })).toMatchObject({ ok: true });
});

test('[LESS2] what somebody declines is not suggested to them again, in any session', async () => {
  const own = await startGuardedServer({ plugins: [suggesting], suggestAfter: 2 });
  const tab = await own.enter();
  const journey = await begin(tab);
  await allow(journey, five.slice(0, 2));
  const [narrow] = await list(journey);
  expect(await decide(journey, narrow, { action: 'decline' })).toMatchObject({ ok: true });
  expect(await list(journey)).toMatchObject([{ label: 'everything' }]);
  expect(await decide(journey, narrow, { action: 'allow' })).toMatchObject({ error: { code: 'not_found' } });
  const other = await begin(tab);
  await allow(other, five.slice(0, 2));
  expect(await list(other)).toMatchObject([{ label: 'everything' }]);
});

/** A tool of two revisions, whose plugin suggests everything for these scopes. */
function makeRevised(scopes: readonly string[]) {
  let publish: (revision: string) => void = () => undefined;
  const plugin = {
    name: 'revised',
    tools: [],
    covers: () => true,
    suggestRules: () => [{ id: 'all', label: 'everything', key: ['all'], scopes }],
    setup({ setTools }: PluginHost) {
      publish = (revision) => {
        const parameters = { type: 'object', properties: { path: { type: 'string' } } };
        const tool = { name: 'revised', description: 'd', parameters, revision, approval: 'always' } as const;
        setTools([{ ...tool, handler: ({ path }: { path: string }) => path }]);
      };
      publish('r1');
    },
  };
  return { plugin: plugin as unknown as Plugin, publish: (revision: string) => publish(revision) };
}

test('[LESS2, APR3] what people allowed of a tool proves nothing about it once its definition has changed', async () => {
  const { plugin, publish } = makeRevised(['session']);
  const own = await startGuardedServer({ plugins: [plugin], suggestAfter: 2 });
  const journey = await begin(await own.enter());
  await allow(journey, five.slice(0, 2), 'revised');
  expect(await list(journey)).toMatchObject([{ label: 'everything', count: 2 }]);
  publish('r2');
  const prompt = await journey.ask('revised', { path: 'tmp/f' });
  expect(await list(journey, prompt)).toEqual([]);
  expect(await list(journey)).toEqual([]);
  await settle(journey, prompt, { action: 'approve' });
  await allow(journey, five.slice(0, 1), 'revised');
  expect(await list(journey)).toMatchObject([{ label: 'everything', count: 2 }]);
});

test('[LESS2] a rule that somebody could only decline is not suggested to them', async () => {
  const own = await startGuardedServer({ plugins: [makeRevised(['always']).plugin], suggestAfter: 2 });
  for (const [role, count] of [
    ['responder', 0],
    ['operator', 1],
  ] as const) {
    const journey = await begin(await own.enter({ role }));
    await allow(journey, five.slice(0, 2), 'revised');
    expect(await list(journey), role).toHaveLength(count);
  }
});

test('[LESS2, SEC11] lists of suggestions count as several frames each', async () => {
  const own = await startGuardedServer({ plugins: [suggesting], framesPerSecond: 20 });
  const journey = await begin(await own.enter());
  const replies: unknown[] = [];
  for (let n = 0; n < 12; n += 1)
    replies.push(await journey.tab.request({ type: 'list_suggestions', sessionId: journey.session } as never));
  expect(replies[0]).toMatchObject({ ok: true });
  expect(replies).toContainEqual(expect.objectContaining({ error: expect.objectContaining({ code: 'rate_limited' }) }));
});

test('[LESS2, DUR1] suggestions, what was declined and what was allowed survive kill -9', async () => {
  const own = await startServer({ plugins: [pluginPath('suggesting.mjs')] });
  const before = await Journey.begin(own);
  await allow(before, five);
  const [, wide] = await list(before);
  await decide(before, wide, { action: 'decline' });
  await own.kill();
  await own.restart();
  const after = await before.join(own);
  const suggestions = await list(after);
  expect(suggestions).toMatchObject([{ label: 'everything in tmp', count: 5 }]);
  await decide(after, suggestions[0], { action: 'allow' });
  await own.kill();
  await own.restart();
  const last = await after.join(own);
  expect(await last.run('sweep', { path: 'tmp/g' })).toMatchObject({ result: { approved: true } });
  expect(await list(last)).toEqual([]);
});
