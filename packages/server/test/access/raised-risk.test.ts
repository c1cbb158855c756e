import { definePlugin, type ToolContext } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { openStepUpStage } from '../support/step-up-stage.ts';

const once = { action: 'approve', approvalScope: 'once' } as const;
const parameters = { type: 'object' } as const;

/** Tools that look up how risky their act is each time that they run, as one that reads a balance or a branch does. */
function makePayer() {
  const state: { risk: 'low' | 'high'; paid: number } = { risk: 'low', paid: 0 };
  const pay = () => {
    state.paid += 1;
    return 'paid';
  };
  const ask = (ctx: ToolContext, key: string, title: string, risk: 'low' | 'high') =>
    ctx.approve({ key, title, scopes: ['once'], risk });
  const askToPay = async (ctx: ToolContext) => (await ask(ctx, 'pay', 'Pay?', state.risk)).approved;
  const describe = () => ({ title: 'Pay?', risk: state.risk });
  const plugin = definePlugin({
    name: 'payer',
    tools: [
      {
        ...{ name: 'pay_open', description: 'Asks once.', parameters },
        handler: async (_: object, ctx: ToolContext) => ((await askToPay(ctx)) ? pay() : 'no'),
      },
      { name: 'pay_gated', description: 'Is asked about.', parameters, approval: 'always', describe, handler: pay },
      {
        ...{ name: 'pay_twice', description: 'Asks twice.', parameters },
        handler: async (_: object, ctx: ToolContext) => {
          if (!(await askToPay(ctx))) return 'no';
          await ask(ctx, 'sure', 'Sure?', 'low');
          return pay();
        },
      },
      {
        ...{ name: 'pay_handed', description: 'Is asked about at low risk, and asks.', parameters, approval: 'always' },
        describe: () => ({ title: 'Pay?', risk: 'low' }),
        handler: async (_: object, ctx: ToolContext) => {
          if (!(await askToPay(ctx))) return 'no';
          await ask(ctx, 'sure', 'Sure?', 'low');
          return pay();
        },
      },
    ],
  });
  return { plugin, state };
}

test.each(['pay_open', 'pay_gated'])(
  '[SIGN2, DUR5] an open prompt whose tool asks at high risk after a restart is superseded by one that takes a passkey: %s',
  async (tool) => {
    const { plugin, state } = makePayer();
    const stage = await openStepUpStage({ plugins: [plugin] });
    const { server, session, owner } = stage;
    const first = await stage.ask(tool);
    state.risk = 'high';
    await server.local.restart();
    const tab = await server.local.open({ hello: { token: owner.token } });
    await tab.follow(session);
    const raised = await tab.event(session, 'interaction_request', ({ payload }) => payload.stepUp === true);
    expect(await tab.answer(session, first, once)).toMatchObject({ error: { code: 'stale' } });
    expect(await tab.answer(session, raised.payload, once)).toMatchObject({ error: { code: 'step_up_required' } });
    expect(state.paid).toBe(0);
  },
);

test.each(['pay_twice', 'pay_handed'])(
  '[SIGN2, DUR5] an answer without a passkey, given at low risk, does not answer the same question at high risk: %s',
  async (tool) => {
    const { plugin, state } = makePayer();
    const stage = await openStepUpStage({ plugins: [plugin] });
    const { server, session, owner } = stage;
    await owner.tab.answer(session, await stage.ask(tool), once);
    const isSure = ({ payload }: { payload: { title?: string | undefined } }) => payload.title === 'Sure?';
    await owner.tab.event(session, 'interaction_request', isSure);
    state.risk = 'high';
    await server.local.restart();
    const tab = await server.local.open({ hello: { token: owner.token } });
    await tab.follow(session);
    const raised = await tab.event(session, 'interaction_request', ({ payload }) => payload.stepUp === true);
    expect(raised.payload).toMatchObject({ title: 'Pay?', risk: 'high' });
    const sure = await tab.event(session, 'interaction_request', isSure);
    await tab.answer(session, sure.payload, once);
    expect(await tab.answer(session, raised.payload, once)).toMatchObject({ error: { code: 'step_up_required' } });
    expect(state.paid).toBe(0);
  },
);
