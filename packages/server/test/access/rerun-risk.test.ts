import { definePlugin, type InteractionRequest, type InteractionSpec, type ToolContext } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { startGuardedServer } from '../support/guarded-server.ts';
import { openStepUpStage } from '../support/step-up-stage.ts';
import type { Tab } from '../support/tab.ts';

const parameters = { type: 'object' } as const;
const durations = { stopMs: 50 }; // its tools never end
const form: InteractionSpec['inputSchema'] = { type: 'form', fields: [{ id: 'sum', type: 'number' }] };
const once = { action: 'approve', approvalScope: 'once' } as const;
const forSession = { action: 'approve', approvalScope: 'session' } as const;

/** Tools that demand something of people in different ways, each at high risk, and then work endlessly if they should. */
function makeWorker() {
  const state = { isStuck: false, runs: 0 };
  const work = () => {
    state.runs += 1;
    return state.isStuck ? new Promise(() => {}) : 'ran';
  };
  const asking = (name: string, ask: (ctx: ToolContext) => Promise<unknown>) => ({
    name,
    description: 'Asks, then works.',
    parameters,
    handler: async (_: object, ctx: ToolContext) => {
      await ask(ctx);
      return work();
    },
  });
  const request = (name: string, spec: InteractionSpec) => asking(name, (ctx) => ctx.requestInteraction(spec));
  const plugin = definePlugin({
    name: 'worker',
    tools: [
      {
        name: 'work_gate',
        description: 'Is asked about, then works.',
        parameters,
        approval: 'always',
        describe: () => ({ title: 'Wipe?', risk: 'high' }),
        handler: work,
      },
      asking('work_ask', (ctx) => ctx.approve({ key: 'k', title: 'Wipe?', risk: 'high' })),
      request('work_form', { type: 'input', title: 'Pay how much?', risk: 'high', inputSchema: form }),
      request('work_link', { type: 'url', title: 'Pay', url: 'https://example.com/pay', risk: 'high' }),
    ],
  });
  return { plugin, state };
}

const recovery = async (tab: Tab, session: string): Promise<InteractionRequest> =>
  (await tab.event(session, 'interaction_request', ({ payload }) => payload.source?.kind === 'recovery')).payload;

test.each(['work_gate', 'work_ask'])(
  '[DUR4, TEAM2] whoever requested a call that a grant allowed at high risk may not have it run again: %s',
  async (tool) => {
    const { plugin, state } = makeWorker();
    const server = await startGuardedServer({ plugins: [plugin], durations });
    const eve = await server.makeToken({ role: 'responder', name: 'Eve' });
    const enter = async () => ({ owner: await server.enter(), eve: await server.local.open({ hello: eve }) });
    const before = await enter();
    const session = await before.owner.createSession();
    for (const tab of [before.owner, before.eve]) await tab.follow(session);
    const { seq } = await before.owner.say(session, `/call ${tool} {}`);
    await before.owner.answer(session, await before.owner.prompt(session, seq), forSession);
    await before.owner.event(session, 'turn_end');
    state.isStuck = true;
    await before.eve.say(session, `/call ${tool} {}`);
    await expect.poll(() => state.runs).toBe(2);
    for (const { id } of await server.local.store.grants.list(Date.now()))
      await server.local.store.grants.revoke({ id });
    await server.local.restart();
    const after = await enter();
    await after.eve.follow(session);
    const prompt = await recovery(after.eve, session);
    expect(prompt).toMatchObject({ risk: 'high', requesters: [eve.id] });
    expect(await after.eve.answer(session, prompt, once)).toMatchObject({ ok: false, error: { code: 'forbidden' } });
    expect(state.runs).toBe(2);
  },
);

test.each([
  ['work_gate', once],
  ['work_ask', once],
  ['work_form', { action: 'submit', input: { sum: 500 } }],
  ['work_link', { action: 'approve' }],
] as const)('[DUR4, SIGN2] what a passkey allowed runs again only with a passkey: %s', async (tool, answer) => {
  const { plugin, state } = makeWorker();
  const stage = await openStepUpStage({ plugins: [plugin], durations });
  const { owner, session, server } = stage;
  state.isStuck = true;
  const prompt = await stage.ask(tool);
  await owner.tab.answer(session, prompt, stage.sign(owner, prompt, answer));
  await expect.poll(() => state.runs).toBe(1);
  const bob = await server.makeToken({ role: 'responder', name: 'Bob' }); // has no passkey
  await server.local.restart();
  state.isStuck = false;
  const tab = await server.local.open({ hello: bob });
  await tab.follow(session);
  const again = await recovery(tab, session);
  expect(again).toMatchObject({ risk: 'high', stepUp: true });
  const refused = { ok: false, error: { code: 'step_up_required' } };
  expect(await tab.answer(session, again, once)).toMatchObject(refused);
  const entered = await server.enter();
  await entered.follow(session);
  expect(await entered.answer(session, again, once)).toMatchObject(refused);
  expect(await entered.answer(session, again, stage.sign(owner, again, once))).toMatchObject({ ok: true });
  await expect.poll(() => state.runs).toBe(2);
});
