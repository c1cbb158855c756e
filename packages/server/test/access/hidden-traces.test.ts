import { type Agent, definePlugin, type FormSchema, type InteractionDemand, type ToolContext } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { startGuardedServer } from '../support/guarded-server.ts';
import type { Tab } from '../support/tab.ts';
import { makeVault } from '../support/vault.ts';

const asksAnn: Pick<InteractionDemand, 'audience' | 'visibility'> = {
  audience: { principals: ['Ann'] },
  visibility: 'audience',
};
const form: FormSchema = { type: 'form', fields: [{ id: 'word', type: 'text', label: 'Word', required: true }] };
const approve = { action: 'approve' };
const forbidden = { ok: false, error: { code: 'forbidden' } };

const tool = (name: string, handler: (ctx: ToolContext) => Promise<unknown>) => ({
  name,
  description: name,
  parameters: { type: 'object' },
  handler: (_: Record<string, unknown>, ctx: ToolContext) => handler(ctx),
});

/** Asks Ann alone, and everybody once she has answered. */
const asker: Agent = {
  name: 'asker',
  async *run({ read, startSeq }) {
    const events = await read();
    if (events.some(({ type, seq }) => type === 'tool_result' && seq > startSeq)) return;
    const isLate = events.some(({ type }) => type === 'interaction_response');
    const toolName = isLate ? 'open' : 'hidden_later';
    yield { type: 'tool_call', toolCallId: `call-${startSeq}`, toolName, args: {} };
  },
};

const plugin = definePlugin({
  name: 'traces',
  agents: [asker],
  tools: [
    tool('both', (ctx) =>
      Promise.all([
        ctx.requestInteraction({ type: 'input', prompt: 'Open?', inputSchema: form }),
        ctx.requestInteraction({ type: 'input', prompt: 'Hidden?', inputSchema: form, ...asksAnn }),
      ]),
    ),
    tool('hidden_later', (ctx) =>
      ctx.requestInteraction({
        type: 'approval',
        timeoutMs: 20,
        onTimeout: () => ({ pending: { message: 'Later.' } }),
        ...asksAnn,
      }),
    ),
    tool('risky', async (ctx) => {
      await ctx.approve({ key: 'risky', risk: 'high', visibility: 'audience' });
      return ctx.confirm('more', 'And this?');
    }),
    tool('open', (ctx) => ctx.confirm('open', 'Open?')),
    tool('shared', (ctx) => ctx.approve({ key: 'shared', title: 'Shared?', scopes: ['once', 'session'], ...asksAnn })),
  ],
});

async function open() {
  const server = await startGuardedServer({
    plugins: [plugin, makeVault({ audience: { principals: ['Ann'] }, visibility: 'audience' }).plugin],
  });
  const annToken = await server.makeToken({ role: 'responder', name: 'Ann' });
  const [owner, ann, bob, viewer] = await Promise.all([
    server.enter(),
    server.local.open({ hello: { token: annToken.token } }),
    server.enter({ role: 'responder', name: 'Bob' }),
    server.enter({ role: 'viewer' }),
  ]);
  const session = await owner.createSession();
  for (const tab of [owner, ann, bob, viewer]) await tab.follow(session);
  return { server, annId: annToken.id, owner, ann, bob, viewer, session };
}

const hiddenPrompts = (tab: Tab, session: string) =>
  tab
    .events(session)
    .flatMap((event) => (event.type === 'interaction_request' && event.payload.visibility ? [event.payload] : []));

test('[TEAM1, INT9] the turn that a late answer begins does not reveal who answered the hidden prompt', async () => {
  const { server, annId, owner, ann, bob, session } = await open();
  await owner.say(session, '/call vault_later {}');
  await ann.event(session, 'turn_end');
  const prompt = await ann.prompt(session);
  await ann.answer(session, prompt, { action: 'submit', input: { word: 'late' } });
  const isLate = ({ payload }: { payload: object }) => 'trigger' in payload && payload.trigger === 'interaction';
  const whole = await ann.event(session, 'turn_start', isLate);
  expect(whole.payload.requesters).toEqual([annId, 'owner']);
  const { requesters: _, ...shown } = whole.payload;
  expect((await bob.event(session, 'turn_start', isLate)).payload).toEqual(shown);
  await server.local.restart();
  const back = await server.enter();
  await back.follow(session);
  expect((await back.event(session, 'turn_start', isLate)).payload).toEqual(shown);
});

test('[TEAM1, TEAM2] nor does the snapshot of an open prompt in that turn', async () => {
  const { owner, ann, bob } = await open();
  const created = await owner.ask<{ session: { id: string } }>({ type: 'create_session', agent: 'asker' });
  const session = created.session.id;
  for (const tab of [owner, ann, bob]) await tab.follow(session);
  await owner.say(session, 'go');
  const { seq } = await ann.event(session, 'turn_end');
  await ann.answer(session, await ann.prompt(session), approve);
  await bob.prompt(session, seq);
  const [shown] = (await bob.follow(session)).head.prompts;
  expect(shown?.request.prompt).toBe('Open?');
  expect(shown).not.toHaveProperty('requesters');
  const [whole] = (await ann.follow(session)).head.prompts;
  expect(whole?.requesters).toContain('owner');
});

test('[TEAM1, TEAM2] a hidden call stays hidden from its requester if a later prompt names no risk of its own', async () => {
  const { owner, ann, bob, session } = await open();
  await ann.say(session, '/call risky {}');
  const first = await bob.prompt(session);
  await bob.answer(session, first, approve);
  const isMore = ({ payload }: { payload: { interactionId: string } }) => payload.interactionId !== first.interactionId;
  const { payload: more } = await bob.event(session, 'interaction_request', isMore);
  expect(more).toMatchObject({ prompt: 'And this?', risk: 'high' });
  expect((await ann.event(session, 'interaction_request', isMore)).payload).toHaveProperty('hidden', true);
  expect(await ann.answer(session, more, approve)).toMatchObject(forbidden);
  expect((await owner.follow(session)).head.calls).toMatchObject([{ toolName: 'risky' }]);
  expect((await ann.follow(session)).head.calls).toMatchObject([{ isHidden: true }]);
});

test('[TEAM1] a prompt whose call is now hidden from somebody accepts no answer of theirs, valid or not', async () => {
  const { ann, bob, owner, session } = await open();
  await owner.say(session, '/call both {}');
  const prompt = await bob.event(session, 'interaction_request', ({ payload }) => payload.prompt === 'Open?');
  await bob.event(session, 'interaction_request', ({ payload }) => 'hidden' in payload);
  for (const input of [{}, { word: 'x' }]) {
    const refused = await bob.answer(session, prompt.payload, { action: 'submit', input });
    expect(refused).toMatchObject(forbidden);
    expect(refused).not.toHaveProperty('error.details');
  }
  const whole = { action: 'submit', input: { word: 'x' } };
  expect(await ann.answer(session, prompt.payload, whole)).toMatchObject({ ok: true });
});

test('[TEAM1, WEB6] a prompt whose call becomes hidden is removed from the inbox of those who may no longer see it, once', async () => {
  const { server, ann, owner, session } = await open();
  const cleo = await server.enter({ role: 'responder', name: 'Cleo' });
  await owner.say(session, '/call both {}');
  const { interaction } = await cleo.waitFor('interaction_opened');
  expect(interaction.prompt).toBe('Open?');
  const { status, interactionId } = await cleo.waitFor('interaction_settled');
  expect({ status, interactionId }).toEqual({ status: 'cancelled', interactionId: interaction.interactionId });
  await cleo.until((frame) => frame.type === 'session_updated' && frame.session.openCount === 0);
  expect(await cleo.ask({ type: 'list_open' })).toEqual({ open: [] });
  await expect.poll(() => hiddenPrompts(ann, session)).toHaveLength(1);
  const input = { word: 'x' };
  for (const prompt of [hiddenPrompts(ann, session)[0], interaction])
    await ann.answer(session, prompt as typeof interaction, { action: 'submit', input });
  await owner.event(session, 'turn_end');
  await cleo.until((frame) => frame.type === 'session_updated' && frame.session.status === 'idle');
  expect(cleo.frames.filter(({ type }) => type.startsWith('interaction_'))).toHaveLength(2);
});

test('[TEAM1, FRM6] a prompt that a grant settled has no answer that anybody could repeat', async () => {
  const { ann, bob, owner, viewer, session } = await open();
  await owner.say(session, '/call shared {}\n/call shared {"n":2}');
  await expect.poll(() => hiddenPrompts(ann, session)).toHaveLength(2);
  const [first, second] = hiddenPrompts(ann, session);
  if (!first || !second) throw new Error('two prompts were expected');
  await ann.answer(session, first, { ...approve, approvalScope: 'session' });
  const settled = await ann.event(session, 'interaction_response', ({ payload }) => payload.grantId !== undefined);
  expect(settled.payload.interactionId).toBe(second.interactionId);
  const { answerId, reason } = settled.payload;
  for (const tab of [bob, viewer])
    expect(await tab.answer(session, second, { ...approve, answerId, reason })).toMatchObject(forbidden);
});
