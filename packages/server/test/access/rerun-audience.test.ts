import { type Audience, definePlugin, type InteractionRequest, type ToolContext } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { startGuardedServer } from '../support/guarded-server.ts';
import type { Tab } from '../support/tab.ts';

interface Ask {
  readonly audience?: Audience;
  readonly risk?: 'medium' | 'high';
  readonly visibility?: 'audience';
}

interface Args {
  /** What it asks permission for, in turn. */
  readonly asks: readonly Ask[];
  readonly gate?: boolean;
}

const approve = { action: 'approve' };
const forbidden = { ok: false, error: { code: 'forbidden' } };
const onlyAnn = { principals: ['Ann'] };
const onlyBob = { principals: ['Bob'] };

/** Starts a server whose tool works endlessly once it has permission, and records its runs. */
async function open() {
  const runs: string[] = [];
  const plugin = definePlugin({
    name: 'worker',
    tools: [
      {
        name: 'work',
        description: 'Asks for leave, then works.',
        parameters: { type: 'object' },
        approval: ({ gate = false }: Args) => gate,
        async handler({ asks }: Args, ctx: ToolContext) {
          for (const [n, ask] of asks.entries()) {
            if (!(await ctx.approve({ key: String(n), ...ask })).approved) throw ctx.error('denied', 'Not allowed.');
          }
          runs.push('run');
          return new Promise(() => {});
        },
      },
    ],
  });
  const server = await startGuardedServer({ plugins: [plugin], durations: { stopMs: 50 } }); // its tool never ends
  const tokens = {
    ann: (await server.makeToken({ role: 'responder', name: 'Ann' })).token,
    bob: (await server.makeToken({ role: 'responder', name: 'Bob' })).token,
  };
  const enter = async () => {
    const tabs = {
      owner: await server.enter(),
      ann: await server.local.open({ hello: { token: tokens.ann } }),
      bob: await server.local.open({ hello: { token: tokens.bob } }),
    };
    return tabs;
  };
  const { ann, bob, owner } = await enter();
  const session = await owner.createSession();
  for (const tab of [ann, bob, owner]) await tab.follow(session);
  /** Stops the server while the tool works, and starts it again. */
  const interrupt = async () => {
    await expect.poll(() => runs).toHaveLength(1);
    await server.local.restart();
    const tabs = await enter();
    for (const tab of Object.values(tabs)) await tab.follow(session);
    return tabs;
  };
  const call = (by: Tab, args: Args) => by.say(session, `/call work ${JSON.stringify(args)}`);
  return { runs, session, ann, bob, owner, call, interrupt };
}

const recovery = async (tab: Tab, session: string): Promise<InteractionRequest> =>
  (await tab.event(session, 'interaction_request', ({ payload }) => payload.source?.kind === 'recovery')).payload;

test('[DUR4, TEAM2] whoever may not approve a call at high risk may not have it run again', async () => {
  const { session, ann, bob, call, interrupt, runs } = await open();
  await call(ann, { asks: [{ risk: 'medium' }, { risk: 'high' }] });
  const first = await bob.prompt(session);
  expect(await bob.answer(session, first, approve)).toMatchObject({ ok: true });
  const second = await bob.event(session, 'interaction_request', ({ payload }) => payload.risk === 'high');
  expect(await ann.answer(session, second.payload, approve)).toMatchObject(forbidden);
  expect(await bob.answer(session, second.payload, approve)).toMatchObject({ ok: true });
  const after = await interrupt();
  const prompt = await recovery(after.ann, session);
  expect(prompt).toMatchObject({ risk: 'high', requesters: second.payload.requesters });
  expect(await after.ann.answer(session, prompt, approve)).toMatchObject(forbidden);
  expect(await after.bob.answer(session, prompt, approve)).toMatchObject({ ok: true });
  await expect.poll(() => runs).toHaveLength(2);
});

test.each([
  ['asked whoever its approval asked', { asks: [{}, { audience: onlyAnn }] }, 'ann'],
  ['asked whoever its gate handed on', { asks: [{ audience: onlyAnn }], gate: true }, 'ann'],
] satisfies [string, Args, 'ann'][])('[DUR4, TEAM1] whether to run a call again is %s', async (_, args, who) => {
  const { session, ann, bob, owner, call, interrupt, runs } = await open();
  await call(owner, args);
  const first = await ann.prompt(session);
  expect(await ann.answer(session, first, approve)).toMatchObject({ ok: true });
  if (args.asks.length > 1) {
    const second = await ann.event(session, 'interaction_request', ({ payload }) => payload.audience !== undefined);
    expect(await bob.answer(session, second.payload, approve)).toMatchObject(forbidden);
    expect(await ann.answer(session, second.payload, approve)).toMatchObject({ ok: true });
  }
  const after = await interrupt();
  const prompt = await recovery(after.bob, session);
  expect(prompt.audience).toEqual(onlyAnn);
  expect(await after.bob.answer(session, prompt, approve)).toMatchObject(forbidden);
  expect(await after.owner.answer(session, prompt, approve)).toMatchObject(forbidden);
  expect(await after[who].answer(session, prompt, approve)).toMatchObject({ ok: true });
  await expect.poll(() => runs).toHaveLength(2);
});

test('[DUR4, TEAM1] a call that needed the approval of two people is not run again with that of one', async () => {
  const { session, ann, bob, owner, call, interrupt, runs } = await open();
  await call(owner, { asks: [{ audience: onlyAnn }, { audience: onlyBob }] });
  await ann.answer(session, await ann.prompt(session), approve);
  const second = await bob.event(session, 'interaction_request', ({ payload }) => payload.interactionId.endsWith('.2'));
  await bob.answer(session, second.payload, approve);
  const after = await interrupt();
  expect((await after.owner.event(session, 'tool_result')).payload.error).toMatchObject({ code: 'interrupted' });
  expect(runs).toHaveLength(1);
});

test('[DUR4, TEAM1] the question about a hidden call stays within those who see it', async () => {
  const { session, ann, owner, call, interrupt } = await open();
  await call(owner, { asks: [{}, { audience: onlyAnn, visibility: 'audience' }] });
  await ann.answer(session, await ann.prompt(session), approve);
  const second = await ann.event(session, 'interaction_request', ({ payload }) => payload.visibility !== undefined);
  await ann.answer(session, second.payload, approve);
  const after = await interrupt();
  expect(await recovery(after.ann, session)).toMatchObject({ audience: onlyAnn, visibility: 'audience' });
});
