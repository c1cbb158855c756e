import { type ChatEvent, emptyHead, type InteractionRequest, type Json, reduceHead } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { type GuardedServer, startGuardedServer } from '../support/guarded-server.ts';
import type { Tab } from '../support/tab.ts';
import { caller, makeVault, marks } from '../support/vault.ts';

const onlyAnn = { principals: ['Ann'] };

/** Starts a server whose vault asks only Ann and hides its calls from others. */
async function open(asks: Parameters<typeof makeVault>[0], more: object = {}) {
  const vault = makeVault(asks);
  const server = await startGuardedServer({
    durations: { stopMs: 50 }, // one of its tools never ends
    plugins: [vault.plugin],
    agents: [caller],
    defaultAgent: 'caller',
    ...more,
  });
  const [owner, ann, bob, viewer] = await Promise.all([
    server.enter(),
    server.enter({ role: 'responder', name: 'Ann' }),
    server.enter({ role: 'responder', name: 'Bob' }),
    server.enter({ role: 'viewer' }),
  ]);
  const session = await owner.createSession();
  return { server, vault, owner, ann, bob, viewer, outsiders: [owner, bob, viewer], session };
}

const asksAnn = { audience: onlyAnn, visibility: 'audience' } as const;
const words = { action: 'submit', input: { word: marks.answer } };
const textOf = (tab: Tab, from = 0) => JSON.stringify(tab.frames.slice(from));

/** Returns the marks that a tab received of a call that it should know nothing about. */
const seenBy = (tab: Tab, from = 0) => Object.values(marks).filter((mark) => textOf(tab, from).includes(mark));

type Token = Parameters<GuardedServer['enter']>[0];

/** Reads everything that a new tab can request. */
async function readAll(server: GuardedServer, token: Token, session: string) {
  return readWith(await server.enter(token), session);
}

async function readWith(tab: Tab, session: string) {
  const { seq, epoch } = await tab.follow(session);
  await tab.follow(session, { tail: 1 });
  await tab.follow(session, { cursor: { epoch, seq: 2 } });
  await tab.ask({ type: 'read_events', sessionId: session, before: seq + 1, limit: 1000 });
  await tab.ask({ type: 'list_open' });
  await tab.ask({ type: 'list_sessions' });
  await tab.ask({ type: 'list_grants' });
  return tab;
}

const outsideTokens = [undefined, { role: 'responder' }, { role: 'viewer' }] as const;

const shapeOf = (events: readonly ChatEvent[]) => events.map(({ seq, type }) => ({ seq, type }));

test("[TEAM1] outsiders see the seq and type of a hidden call's events, and nothing else, live and in any replay", async () => {
  const { server, vault, owner, ann, outsiders, session } = await open(asksAnn);
  vault.hold();
  for (const tab of [ann, ...outsiders]) await tab.follow(session);
  await owner.say(session, 'vault_ask');
  const prompt = await ann.prompt(session);
  const waiting = await Promise.all(outsideTokens.map((token) => readAll(server, token, session)));
  await ann.answer(session, prompt, words);
  await ann.until((frame) => frame.type === 'stream' && frame.text === marks.output);
  const printing = await Promise.all(outsideTokens.map((token) => readAll(server, token, session)));
  vault.release();
  for (const tab of [ann, ...outsiders]) await tab.event(session, 'turn_end');

  for (const tab of outsiders) {
    expect(seenBy(tab)).toEqual([marks.args]); // the call is logged before its handler asks
    expect(shapeOf(tab.events(session))).toEqual(shapeOf(ann.events(session)));
    const hidden = tab.events(session).filter(({ payload }) => 'hidden' in payload);
    expect(hidden.map(({ type }) => type)).toEqual(['interaction_request', 'interaction_response', 'tool_result']);
    const { toolCallId, interactionId } = prompt;
    expect(hidden.map(({ payload }) => payload)).toEqual([
      { hidden: true, toolCallId, interactionId },
      { hidden: true, toolCallId, interactionId },
      { hidden: true, toolCallId },
    ]);
  }
  expect(new Set(seenBy(ann))).toEqual(new Set(Object.values(marks).filter((mark) => mark !== marks.late)));

  const ended = await Promise.all(outsideTokens.map((token) => readAll(server, token, session)));
  await server.local.restart();
  const restarted = await Promise.all(outsideTokens.map((token) => readAll(server, token, session)));
  for (const tab of [...waiting, ...printing, ...ended, ...restarted]) expect(seenBy(tab)).toEqual([]);
  const [first] = ended as [Tab];
  for (const tab of restarted) expect(tab.events(session)).toEqual(first.events(session));
});

test('[TEAM1] a call that the configuration hides is hidden from its start, except from the people who are asked', async () => {
  const policies = [{ tool: 'vault_*', visibility: 'audience', audience: onlyAnn }] as const;
  const { server, vault, owner, ann, outsiders, session } = await open({}, { policies });
  vault.hold();
  for (const tab of [ann, ...outsiders]) await tab.follow(session);
  await owner.say(session, 'vault_ask');
  const prompt = await ann.prompt(session);
  expect(prompt).toMatchObject({ audience: onlyAnn, visibility: 'audience' });
  expect(await owner.answer(session, prompt, words)).toMatchObject({ ok: false, error: { code: 'forbidden' } });
  await ann.answer(session, prompt, words);
  await ann.until((frame) => frame.type === 'stream' && frame.text === marks.output);
  vault.release();
  for (const tab of [ann, ...outsiders]) await tab.event(session, 'turn_end');
  expect(await owner.answer(session, prompt, words)).toEqual({
    type: 'reply',
    ok: false,
    requestId: expect.anything(),
    error: { code: 'forbidden', message: expect.anything() },
  });
  const late = await Promise.all(outsideTokens.map((token) => readAll(server, token, session)));
  for (const tab of [...outsiders, ...late]) expect(seenBy(tab)).toEqual([]);
  for (const tab of outsiders) {
    expect(shapeOf(tab.events(session))).toEqual(shapeOf(ann.events(session)));
  }
  expect(new Set(seenBy(ann))).toEqual(new Set(Object.values(marks).filter((mark) => mark !== marks.late)));
  const before = ann.events(session);
  await server.local.restart();
  for (const token of outsideTokens) {
    const tab = await server.enter(token);
    await tab.follow(session);
    expect(tab.events(session)).toEqual(outsiders[0]?.events(session));
    expect(seenBy(tab)).toEqual([]);
  }
  expect(before.length).toBe(outsiders[0]?.events(session).length);
});

test('[TEAM1, EVT3] folding what an outsider gets leads to the head of its snapshot, at any event', async () => {
  const policies = [{ tool: 'vault_*', visibility: 'audience', audience: onlyAnn }] as const;
  const { owner, ann, bob, session } = await open({}, { policies });
  for (const tab of [ann, bob]) await tab.follow(session);
  await owner.say(session, 'vault_later');
  await ann.event(session, 'turn_end');
  await owner.say(session, 'vault_ask');
  const prompt = await ann.prompt(session, (await bob.event(session, 'turn_end')).seq);
  await bob.event(session, 'interaction_request', ({ payload }) => payload.interactionId === prompt.interactionId);
  const { head, session: row } = await bob.follow(session);
  const known = new Map(bob.events(session).map((event) => [event.seq, event]));
  const folded = [...known.values()].reduce(reduceHead, emptyHead);
  const { hiddenSince: _, ...shown } = head;
  expect(JSON.parse(JSON.stringify({ ...folded, calls: folded.calls.length }))).toEqual({
    ...shown,
    calls: shown.calls.length,
  });
  expect(head).toMatchObject({ calls: [{ toolName: '', args: null, isHidden: true }], prompts: [] });
  expect(head.hidden?.map(({ state }) => state).sort()).toEqual(['open', 'pending']);
  expect(row).toMatchObject({ status: 'waiting', openCount: 0 });
});

test('[TEAM1, INT9] the message of a late answer is hidden with its call', async () => {
  const { server, owner, ann, outsiders, session } = await open(asksAnn);
  for (const tab of [ann, ...outsiders]) await tab.follow(session);
  await owner.say(session, 'vault_later');
  const { seq } = await ann.event(session, 'turn_end');
  const prompt = await ann.prompt(session);
  await ann.answer(session, prompt, words);
  for (const tab of [ann, ...outsiders]) await tab.event(session, 'turn_end', undefined, seq);
  expect(seenBy(ann)).toContain(marks.late);
  const { toolCallId, interactionId } = prompt;
  const late = await Promise.all(outsideTokens.map((token) => readAll(server, token, session)));
  for (const tab of [...outsiders, ...late]) {
    const message = await tab.event(session, 'user_message', ({ payload }) => 'hidden' in payload);
    expect(message.payload).toEqual({ hidden: true, toolCallId, interactionId });
    expect(seenBy(tab).filter((mark) => mark !== marks.args)).toEqual([]);
  }
});

test("[TEAM1, APR4] outsiders see only that a hidden call's grant exists, and an operator can revoke it", async () => {
  const { owner, ann, bob, session } = await open(asksAnn);
  await ann.follow(session);
  await owner.say(session, 'vault_allow');
  const prompt = await ann.prompt(session);
  await ann.answer(session, prompt, { action: 'approve', approvalScope: 'session' });
  await ann.event(session, 'turn_end');
  const list = async (tab: Tab) => (await tab.ask<{ grants: { id: string }[] }>({ type: 'list_grants' })).grants;
  expect(await list(ann)).toMatchObject([{ title: marks.prompt, subject: { text: marks.prompt } }]);
  for (const tab of [owner, bob]) {
    expect(await list(tab)).toMatchObject([{ scope: 'session', sessionId: session, uses: 0 }]);
    expect(seenBy(tab)).toEqual([]);
  }
  const [grant] = await list(owner);
  await owner.ask({ type: 'revoke_grant', grantId: grant?.id ?? '' });
  expect(await list(ann)).toEqual([]);
});

/** Asks Ann in a hidden prompt, then somebody else, as its arguments say. */
const twice = (then: object) => ({
  name: 'twice',
  tools: [
    {
      name: 'twice',
      description: 'Asks twice.',
      parameters: { type: 'object' },
      async handler(_: unknown, ctx: { requestInteraction(demand: object): Promise<unknown> }) {
        const inputSchema = { type: 'form', fields: [{ id: 'word', type: 'text', label: 'Word' }] };
        await ctx.requestInteraction({ type: 'input', prompt: 'first', inputSchema, ...asksAnn });
        await ctx.requestInteraction({ type: 'input', prompt: 'second', inputSchema, ...then });
      },
    },
  ],
});

test.each([
  ['nobody in particular, asks whom the first asked', {}, onlyAnn],
  ['nobody, and hides itself again, asks whom the first asked', { visibility: 'audience' }, onlyAnn],
  ['somebody else, shows the call to both', { audience: { principals: ['Bob'] } }, { principals: ['Bob'] }],
])('[TEAM1] a hidden call stays hidden: a second prompt that names %s', async (_, then, audience) => {
  const { owner, ann, bob, viewer, session } = await open({}, { plugins: [twice(then)] });
  for (const tab of [ann, bob, viewer]) await tab.follow(session);
  await owner.say(session, 'twice');
  const first = await ann.prompt(session);
  await ann.answer(session, first, words);
  const second = await ann.prompt(session, (await ann.event(session, 'interaction_response')).seq);
  expect(second).toMatchObject({ audience, visibility: 'audience' });
  const isBobs = audience !== onlyAnn;
  const { head } = await bob.follow(session);
  expect(head.prompts.map(({ request }: { request: InteractionRequest }) => request.prompt)).toEqual(
    isBobs ? ['second'] : [],
  );
  expect((await viewer.follow(session)).head).toMatchObject({ prompts: [], hidden: [{ state: 'open' }] });
  expect(
    textOf(
      bob,
      bob.frames.findLastIndex(({ type }) => type === 'snapshot'),
    ).includes(marks.answer),
  ).toBe(isBobs);
});

/** Asks everybody, and then Ann in a hidden prompt. */
const publicFirst = {
  name: 'opening',
  tools: [
    {
      name: 'opening',
      description: 'Asks everybody, then Ann.',
      parameters: { type: 'object' },
      async handler(_: unknown, ctx: { requestInteraction(demand: object): Promise<unknown> }) {
        const inputSchema = { type: 'form', fields: [{ id: 'word', type: 'text', label: 'Word' }] };
        await ctx.requestInteraction({ type: 'input', prompt: marks.prompt, inputSchema });
        await ctx.requestInteraction({ type: 'input', prompt: 'then', inputSchema, ...asksAnn });
      },
    },
  ],
};

test('[TEAM1, FRM6] what was public before its call was hidden is hidden in every replay, and a repeated answer keeps its reply', async () => {
  const { owner, ann, bob, viewer, session } = await open({}, { plugins: [publicFirst] });
  for (const tab of [owner, ann, bob]) await tab.follow(session);
  await owner.say(session, 'opening');
  const first = await bob.prompt(session);
  const answer = { ...words, answerId: 'bobs' };
  const reply = await bob.answer(session, first, answer);
  const { seq } = await ann.event(session, 'interaction_response');
  const second = await ann.prompt(session, seq);
  await readWith(viewer, session);
  expect(seenBy(viewer)).toEqual([]);
  expect(await bob.answer(session, first, answer)).toMatchObject({
    ok: true,
    result: (reply as { result: object }).result,
  });
  const refused = await owner.answer(session, first, words);
  expect(refused).toMatchObject({ ok: false, error: { code: 'forbidden' } });
  expect(JSON.stringify(refused)).not.toContain(marks.answer);
  const { interactionId } = second;
  const draft = { type: 'draft', sessionId: session, interactionId, values: {} } as const;
  expect(await bob.request(draft)).toMatchObject({ ok: false, error: { code: 'not_found' } });
  expect(await ann.request(draft)).toMatchObject({ ok: true });
});

test('[TEAM1, DUR4] the question whether an interrupted hidden call runs again asks whom the call asked', async () => {
  const started: string[] = [];
  const endless = {
    name: 'endless',
    tools: [
      {
        name: 'endless',
        description: 'Asks Ann, then works.',
        parameters: { type: 'object' },
        async handler(_: unknown, ctx: { requestInteraction(demand: object): Promise<unknown> }) {
          const inputSchema = { type: 'form', fields: [{ id: 'word', type: 'text', label: 'Word' }] };
          await ctx.requestInteraction({ type: 'input', prompt: 'go on?', inputSchema, ...asksAnn });
          started.push('work');
          await new Promise(() => {});
        },
      },
    ],
  };
  const { server, owner, ann, session } = await open({}, { plugins: [endless] });
  await ann.follow(session);
  await owner.say(session, 'endless');
  await ann.answer(session, await ann.prompt(session), words);
  await expect.poll(() => started).toEqual(['work']);
  await server.local.restart();
  const back = await server.enter();
  const { open: inbox, openTotal } = await back.waitFor('welcome');
  expect([inbox, openTotal]).toEqual([[], 0]);
  await back.follow(session);
  await back.event(session, 'interaction_request', ({ payload }) => payload.interactionId.endsWith('.2'));
  expect(seenBy(back)).toEqual([]);
  expect((await back.follow(session)).head).toMatchObject({ prompts: [], hidden: [{ state: 'open' }] });
});

test('[TEAM1] an audience alone hides nothing: every tab gets the same events', async () => {
  const { owner, ann, viewer, session } = await open({ audience: onlyAnn });
  for (const tab of [owner, ann, viewer]) await tab.follow(session);
  await owner.say(session, 'vault_ask');
  await ann.answer(session, await ann.prompt(session), words);
  for (const tab of [owner, ann, viewer]) await tab.event(session, 'turn_end');
  expect(viewer.events(session)).toEqual(ann.events(session));
  expect(viewer.events(session).some(({ payload }) => 'hidden' in (payload as Record<string, Json>))).toBe(false);
});
