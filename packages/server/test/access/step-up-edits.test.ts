import { type ChatEvent, definePlugin, type InteractionRequest, type ToolContext } from '@parleyhq/core';
import { expect, test } from 'vitest';
import askUser from '../../../../plugins/ask-user/src/index.ts';
import { openStepUpStage, type StepUpStage } from '../support/step-up-stage.ts';

interface Payment {
  readonly sum: number;
}

const riskOf = ({ sum }: Payment) => (sum > 100 ? ('high' as const) : ('low' as const));
const base = {
  description: 'Pays.',
  parameters: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
};

/** Tools that state a risk for what they ask, and none for other arguments. */
const pay = definePlugin({
  name: 'pay',
  tools: [
    {
      ...base,
      name: 'pay_asking',
      handler: async (payment: Payment, ctx: ToolContext) => {
        const { sum } = payment;
        const asked = { key: ['pay'], title: `Pay ${sum}?`, risk: riskOf(payment), editable: true } as const;
        const approval = await ctx.approve<Payment>(asked);
        return approval.approved && approval.args.sum;
      },
    },
    {
      ...base,
      name: 'pay_gated',
      approval: 'always',
      describe: (payment: Payment) => ({
        title: `Pay ${payment.sum}?`,
        ...(riskOf(payment) === 'low' && { risk: 'low' as const }),
      }),
      handler: ({ sum }: Payment) => sum,
    },
  ],
});

const approve = { action: 'approve', approvalScope: 'once' } as const;

/** Waits for the prompt that asks about an edit, or for the result if the edit ran without one. */
function findNext({ owner, session }: StepUpStage, { interactionId, toolCallId }: InteractionRequest) {
  const isNext = ({ payload }: ChatEvent<'interaction_request'>) =>
    payload.toolCallId === toolCallId && payload.interactionId !== interactionId;
  const isOf = ({ payload }: ChatEvent<'tool_result'>) => payload.toolCallId === toolCallId;
  return Promise.race([
    owner.tab.event(session, 'interaction_request', isNext).then(({ payload }) => payload),
    owner.tab.event(session, 'tool_result', isOf).then(({ payload }) => payload),
  ]);
}

async function resultOf({ owner, session }: StepUpStage, { toolCallId }: InteractionRequest) {
  const isOf = ({ payload }: ChatEvent<'tool_result'>) => payload.toolCallId === toolCallId;
  return (await owner.tab.event(session, 'tool_result', isOf)).payload.result;
}

test.each(['pay_asking', 'pay_gated'])(
  '[SIGN2, APR2] nobody edits a call of %s to what nobody can say the risk of, without a passkey',
  async (tool) => {
    const stage = await openStepUpStage({ plugins: [pay] });
    const { owner, session } = stage;
    const prompt = await stage.ask(tool, { sum: 5 });
    expect(prompt).toMatchObject({ risk: 'low', editable: true });
    expect(prompt).not.toHaveProperty('stepUp');
    const edit = { ...approve, digest: prompt.digest, editedArgs: { sum: 5000 } };
    expect(await owner.tab.answer(session, prompt, edit)).toMatchObject({ ok: true });
    const again = (await findNext(stage, prompt)) as InteractionRequest;
    expect(again).toMatchObject({ risk: 'high', stepUp: true, editable: false, approvalScopes: ['once'] });
    const unsigned = await owner.tab.answer(session, again, approve);
    expect(unsigned).toMatchObject({ ok: false, error: { code: 'step_up_required' } });
    expect(await owner.tab.answer(session, again, stage.sign(owner, again, approve))).toMatchObject({ ok: true });
    expect(await resultOf(stage, prompt)).toBe(5000);
  },
);

test('[SIGN2, APR2] a program’s request of low risk is not edited to another one without a passkey', async () => {
  const stage = await openStepUpStage({ plugins: [askUser] });
  const { owner, session } = stage;
  const request = { title: 'Deploy?', subject: { kind: 'text', text: 'deploy' }, risk: 'low', editable: true };
  const prompt = await stage.ask('request_approval', { ...request, args: { target: 'staging' } });
  const editedArgs = { ...request, args: { target: 'production' } };
  await owner.tab.answer(session, prompt, { ...approve, digest: prompt.digest, editedArgs });
  expect(await findNext(stage, prompt)).toMatchObject({ risk: 'high', stepUp: true });
});

test('[SIGN2, APR2] an edit that a passkey signed, or whose tool demands one at any risk, is not asked about twice', async () => {
  const stage = await openStepUpStage({ plugins: [pay], stepUp: { risk: 'high', tools: ['pay_*'] } });
  const { owner, session } = stage;
  const prompt = await stage.ask('pay_asking', { sum: 5 });
  const signed = stage.sign(owner, prompt, { ...approve, editedArgs: { sum: 5000 } });
  expect(await owner.tab.answer(session, prompt, signed)).toMatchObject({ ok: true });
  expect(await findNext(stage, prompt)).toMatchObject({ result: 5000 });
});
