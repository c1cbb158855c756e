import { hash } from 'node:crypto';
import { canonicalise, type Json, type Payload, type Quorum, storedDepth } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { approval, change, SignedPrompt, verifyForged } from '../../test/support/signed-prompt.ts';
import { makeReceipt, type SettledPrompt } from './receipt.ts';
import type { Receipt } from './receipt-format.ts';

type Tally = Payload<'interaction_vote'>['votes'];
type Settle = (prompt: SignedPrompt) => SettledPrompt['settlement'];

const denial = { action: 'deny', reason: 'No' } as const;

/** A receipt for which these people voted before: an approval is signed. */
function receiptOf(settle: Settle, decide?: Quorum, voters: Record<string, 'approve' | 'deny'> = {}): Receipt {
  const prompt = new SignedPrompt(decide);
  const votes = Object.entries(voters).map(([person, action], at) => {
    const said = action === 'deny' ? prompt.say(person, `v${at}`, denial) : prompt.sign(person, `v${at}`);
    return prompt.vote(4 + at, said);
  });
  return makeReceipt({ request: prompt.request, votes, settlement: settle(prompt), rows: [] });
}

const approves =
  (votes?: Tally, part?: object): Settle =>
  (prompt) =>
    prompt.settle({ ...prompt.sign('ann', 'a'), ...(votes && { votes }), ...part });
const denies =
  (votes?: Tally): Settle =>
  (prompt) =>
    prompt.settle({ ...prompt.say('ann', 'a', denial), ...(votes && { votes }) });
const grants =
  (votes?: Tally): Settle =>
  (prompt) =>
    prompt.settle({ ...prompt.say('ann', 'a', approval), grantId: 'g', ...(votes && { votes }) });
const closes: Settle = (prompt) => prompt.close();

const two = { approve: 2, deny: 2 };
const three = { approve: 3, deny: 2 };
const tally = (approve: number, deny: number) => ({ approve, deny });

test('[SIGN3, TEAM3] receipts of all kinds of decisions verify', async () => {
  const receipts = {
    answer: receiptOf(approves()),
    late: receiptOf(approves(undefined, { late: true })),
    denial: receiptOf(denies()),
    grant: receiptOf(grants()),
    closing: receiptOf(closes),
    votes: receiptOf(approves(tally(3, 1)), three, { bob: 'approve', cy: 'deny', dan: 'approve' }),
    'a changed vote': receiptOf(approves(tally(2, 0)), two, { ann: 'deny', bob: 'approve' }),
    'a void vote': receiptOf(approves(tally(2, 0), { struck: ['phone of cy'] }), two, { bob: 'approve' }),
    'votes against it': receiptOf(denies(tally(1, 2)), two, { bob: 'approve', cy: 'deny' }),
    'closing while people vote': receiptOf(closes, three, { bob: 'approve', cy: 'approve', dan: 'deny' }),
    'a grant where one is enough': receiptOf(grants(tally(1, 1)), { approve: 1, deny: 2 }, { bob: 'deny' }),
  };
  for (const [name, receipt] of Object.entries(receipts))
    expect((await verifyForged(receipt)).receipt, name).toEqual(receipt);
});

test('[SIGN3] a receipt that states something twice, and differently, is refused', async () => {
  const receipt = receiptOf(approves(tally(2, 0)), two, { bob: 'approve' });
  const shown = JSON.parse(receipt.shown);
  const { tool: _, ...toolless } = shown;
  const shows = (value: object) => ({ shown: canonicalise(value), digest: hash('sha256', canonicalise(value)) });
  const contradictions: Record<string, object> = {
    'another tool': { ...receipt, toolName: 'read_weather' },
    'another tool that was shown': { ...receipt, ...shows({ ...shown, tool: 'look' }) },
    'no tool that was shown': { ...receipt, ...shows(toolless) },
    'another call': { ...receipt, toolCallId: 'other' },
    'another prompt': { ...receipt, interactionId: 'c.2' },
    'an answer to another prompt': change(receipt, ['settlement', 'payload', 'interactionId'], 'c.2'),
    'an answer in another call': change(receipt, ['settlement', 'payload', 'toolCallId'], 'zzz'),
    'a vote on another prompt': change(receipt, ['votes', 0, 'payload', 'interactionId'], 'c.2'),
    'a vote in another call': change(receipt, ['votes', 0, 'payload', 'toolCallId'], 'zzz'),
    'a vote after the end': change(receipt, ['votes', 0, 'seq'], 10),
    'a vote at the same place': change(receipt, ['votes', 0, 'seq'], 9),
  };
  for (const [name, forged] of Object.entries(contradictions))
    await expect(verifyForged(forged), name).rejects.toThrow('It contradicts itself');
});

test('[SIGN3] a receipt as deep as a stored value verifies, and one that is deeper is refused with the reason', async () => {
  const nest = (depth: number) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
  const states = (editedArgs: Json) => change(receiptOf(grants()), ['settlement', 'payload', 'editedArgs'], editedArgs);
  await verifyForged(states(nest(storedDepth)));
  await expect(verifyForged(states(nest(3000)))).rejects.toThrow('too deep');
});

test('[SIGN2, SIGN3, TEAM3] votes that do not settle what was shown are refused, whoever signed the receipt', async () => {
  const whole = receiptOf(approves(tally(3, 0)), three, { bob: 'approve', cy: 'approve' });
  const [bobs, cys] = whole.votes as [object, object];
  const plain = receiptOf(approves());
  const place = ['settlement', 'payload'] as const;
  const more = { bob: 'approve', cy: 'approve', dan: 'approve' } as const;
  const forgeries: Record<string, readonly [Receipt | object, string]> = {
    'votes where one answer is enough': [{ ...plain, votes: [bobs] }, 'took one answer'],
    'a tally where one answer is enough': [change(plain, [...place, 'votes'], tally(1, 0)), 'took one answer'],
    'no votes': [change(whole, ['votes'], undefined), 'tally'],
    'too few votes': [receiptOf(approves(tally(2, 0)), three, { bob: 'approve' }), 'fewer votes'],
    'too few votes against it': [receiptOf(denies(tally(1, 1)), two, { bob: 'approve' }), 'fewer votes'],
    'too many votes': [receiptOf(approves(tally(4, 0)), three, more), 'had decided'],
    'a closing after the decision': [receiptOf(closes, three, more), 'had decided'],
    'another tally': [change(whole, [...place, 'votes', 'deny'], 1), 'tally'],
    'no tally': [change(whole, [...place, 'votes'], undefined), 'tally'],
    'a person twice': [{ ...whole, votes: [bobs, { ...bobs, seq: 5 }] }, 'counts a person twice'],
    'the person who decided': [change(whole, ['votes', 1, 'payload', 'by', 'owner'], 'ann'), 'counts a person twice'],
    'a void vote': [change(whole, [...place, 'struck'], ['phone of bob']), 'void'],
    'a vote that a later one made void': [change(whole, ['votes', 1, 'payload', 'struck'], ['phone of bob']), 'void'],
    'an answer that is not a vote': [change(whole, [...place, 'action'], 'cancel'), 'not a vote'],
    'a grant among several': [receiptOf(grants(tally(3, 0)), three, { bob: 'approve', cy: 'approve' }), 'grant'],
    'a grant for a vote': [{ ...receiptOf(grants()), votes: [cys] }, 'took one answer'],
    'an unsigned vote': [change(whole, ['votes', 1, 'payload', 'assertion'], undefined), 'without the signature'],
    'an unsigned decision': [change(whole, [...place, 'assertion'], undefined), 'without the signature'],
  };
  await verifyForged(whole);
  for (const [name, [forged, words]] of Object.entries(forgeries))
    await expect(verifyForged(forged), name).rejects.toThrow(words);
});
