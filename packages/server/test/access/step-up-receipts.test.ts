import { generateKeyPairSync } from 'node:crypto';
import { definePlugin, type InteractionRequest, type Json, type ToolContext } from '@parleyhq/core';
import { verifyReceipt } from '@parleyhq/server';
import { fingerprintOfPasskey } from '@parleyhq/store-kit';
import { expect, test } from 'vitest';
import { Authenticator, addPasskey } from '../support/authenticator.ts';
import { openStepUpStage, type StepUpStage } from '../support/step-up-stage.ts';

const { privateKey } = generateKeyPairSync('ed25519');

const asked = { title: 'Open it?', risk: 'high' } as const;

/** Tools that ask in further ways. */
const desk = definePlugin({
  name: 'desk',
  tools: [
    ...(['low', 'high'] as const).map((risk) => ({
      name: `desk_edit_${risk}`,
      description: 'May be edited.',
      parameters: { type: 'object' },
      approval: 'always' as const,
      edits: true,
      describe: () => ({ title: 'Run it?', risk }),
      handler: (args: Record<string, unknown>) => JSON.stringify(args),
    })),
    {
      name: 'desk_always',
      description: 'Asks for a lasting consent.',
      parameters: { type: 'object' },
      handler: (_: Record<string, unknown>, ctx: ToolContext) =>
        ctx.approve({ ...asked, key: 'open', scopes: ['once', 'always'] }),
    },
    {
      name: 'desk_late',
      description: 'Goes on without an answer.',
      parameters: { type: 'object' },
      handler: (_: Record<string, unknown>, ctx: ToolContext) =>
        ctx.requestInteraction({
          ...{ ...asked, type: 'approval', key: 'late', timeoutMs: 50 },
          onTimeout: () => ({ pending: { message: 'Going on without you.' } }),
        }),
    },
  ],
});

const open = () => openStepUpStage({ plugins: [desk], receiptKey: () => privateKey });
const once = { action: 'approve', approvalScope: 'once' } as const;

/** Fetches the receipt of a settled prompt and verifies it. */
async function verify({ owner, session }: StepUpStage, { interactionId }: InteractionRequest, of = session) {
  const response = await owner.call(`/api/sessions/${of}/interactions/${interactionId}/receipt`);
  expect(response.status).toBe(200);
  return verifyReceipt(await response.text());
}

test('[SIGN2, SIGN3] a receipt states the edit that ran, whatever its members are named, signed or not', async () => {
  const stage = await open();
  const { owner, session } = stage;
  const editedArgs: Json = JSON.parse('{"path":"a","__proto__":{"path":"/etc"}}');
  for (const [tool, count] of [
    ['desk_edit_low', 0],
    ['desk_edit_high', 1],
  ] as const) {
    const prompt = await stage.ask(tool, { path: 'a' });
    const { assertion, ...plain } = stage.sign(owner, prompt, { ...once, editedArgs });
    await owner.tab.answer(session, prompt, { ...plain, ...(count > 0 && { assertion }) });
    const isOf = ({ payload }: { payload: { toolCallId: string } }) => payload.toolCallId === prompt.toolCallId;
    const { payload } = await owner.tab.event(session, 'tool_result', isOf);
    expect(payload.result).toContain('"__proto__":{"path":"/etc"}');
    const { receipt, signers } = await verify(stage, prompt);
    expect(JSON.stringify(receipt.settlement)).toContain('"editedArgs":{"__proto__":{"path":"/etc"},"path":"a"}');
    expect(signers).toHaveLength(count);
  }
});

test('[SIGN2, SIGN3, TEAM3] receipts of signed votes verify, of changed ones and of those of revoked tokens, too', async () => {
  const stage = await open();
  const { session, server } = stage;
  const [ann, bob, cy] = [
    await stage.enter({ role: 'operator', name: 'Ann' }),
    await stage.enter({ role: 'operator', name: 'Bob' }),
    await stage.enter({ role: 'operator', name: 'Cy' }),
  ];
  const prompt = await stage.ask('vault_two');
  const vote = (voter: typeof ann, reason: string) =>
    voter.tab.answer(session, prompt, stage.sign(voter, prompt, { action: 'approve', reason }));
  for (const reason of ['Fine', 'Fine, I think']) await vote(ann, reason);
  await server.local.store.tokens.remove(ann.id);
  await bob.tab.answer(session, prompt, { action: 'deny' });
  await vote(bob, 'On second thoughts');
  await vote(cy, 'Yes');
  await stage.settled(prompt);
  const { receipt, signers } = await verify(stage, prompt);
  expect(receipt.votes).toMatchObject([{ payload: { reason: 'On second thoughts', by: { name: 'Bob' } } }]);
  expect(signers.map(({ person }) => person)).toEqual([bob.id, cy.id]);
});

test.each(['EdDSA', 'RS256'] as const)(
  '[SIGN2, SIGN3] a passkey of the algorithm %s signs, and so says the receipt',
  async (algorithm) => {
    const stage = await open();
    const { id, token } = await stage.server.makeToken({ role: 'responder', name: 'Ann' });
    const key = new Authenticator(stage.origin, algorithm);
    expect((await addPasskey(token, key)).status).toBe(200);
    const tab = await stage.server.local.open({ hello: { token } });
    const prompt = await stage.ask('vault_high');
    expect(await tab.answer(stage.session, prompt, stage.sign({ id, key }, prompt, once))).toMatchObject({ ok: true });
    await stage.settled(prompt);
    expect((await verify(stage, prompt)).signers).toMatchObject([
      { person: id, passkey: fingerprintOfPasskey(key), v: 2 },
    ]);
  },
);

test('[SIGN2, SIGN3] receipts of denials, late answers, closings and answers by a signed grant verify', async () => {
  const stage = await open();
  const { owner, session } = stage;
  const denied = await stage.ask('vault_high');
  await owner.tab.answer(session, denied, { action: 'deny' });
  await owner.tab.event(session, 'turn_end');
  expect(await verify(stage, denied)).toMatchObject({ receipt: { stepUp: true }, signers: [] });

  const { seq } = await owner.tab.say(session, '/call desk_late {}');
  const late = await owner.tab.prompt(session, seq);
  await owner.tab.event(session, 'turn_end', undefined, seq);
  await owner.tab.answer(session, late, stage.sign(owner, late, once));
  await stage.settled(late);
  const answered = await verify(stage, late);
  expect(answered.receipt.settlement.payload).toMatchObject({ late: true });
  expect(answered.signers).toMatchObject([{ person: 'owner' }]);

  const other = await owner.tab.createSession();
  await owner.tab.follow(other);
  const first = await stage.ask('desk_always');
  const { seq: second } = await owner.tab.say(other, '/call desk_always {}');
  const covered = await owner.tab.prompt(other, second);
  await owner.tab.answer(session, first, stage.sign(owner, first, { action: 'approve', approvalScope: 'always' }));
  await owner.tab.event(other, 'interaction_response');
  const granted = await verify(stage, covered, other);
  expect(granted.receipt.settlement.payload).toMatchObject({ grantId: expect.any(String) });
  expect(granted).toMatchObject({ receipt: { stepUp: true }, signers: [] });

  const closed = await stage.ask('vault_two');
  const bob = await stage.enter({ role: 'operator', name: 'Bob' });
  await bob.tab.answer(session, closed, stage.sign(bob, closed, { action: 'approve' }));
  await owner.tab.ask({ type: 'cancel_turn', sessionId: session });
  await owner.tab.event(session, 'interaction_closed');
  const { receipt, signers } = await verify(stage, closed);
  expect(receipt.settlement).toMatchObject({ event: 'interaction_closed', payload: { reason: 'cancelled' } });
  expect(signers).toMatchObject([{ person: bob.id }]);
});
