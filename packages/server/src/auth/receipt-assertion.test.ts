import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { digestText } from '@parleyhq/core';
import { fingerprintOfPasskey } from '@parleyhq/store-kit';
import { expect, test } from 'vitest';
import { Authenticator, respell } from '../../test/support/authenticator.ts';
import { approval, change, SignedPrompt, terms, verifyForged } from '../../test/support/signed-prompt.ts';
import { makeReceipt } from './receipt.ts';
import { payloadTypeOf, verifyReceipt } from './receipt-envelope.ts';
import type { Receipt } from './receipt-format.ts';

const two = new SignedPrompt({ approve: 2 });
const receipt = makeReceipt({
  request: two.request,
  votes: [two.vote(4, two.sign('bob', 'v'))],
  settlement: two.settle({ ...two.sign('ann', 'a'), votes: { approve: 2, deny: 0 } }),
  rows: [],
});
const [bobs, anns] = ['bob', 'ann'].map((person) => fingerprintOfPasskey(two.keyOf(person))) as [string, string];

/** One answer, without votes. */
const one = new SignedPrompt();
const receiptOf = (payload: Parameters<typeof one.settle>[0]): Receipt =>
  makeReceipt({ request: one.request, votes: [], settlement: one.settle(payload), rows: [] });

test('[SIGN2, SIGN3] a receipt has what passkeys signed, in a format of its own, and it verifies without the server', async () => {
  expect(receipt.stepUp).toBe(true);
  expect(receipt.terms).toEqual(terms);
  expect(payloadTypeOf(receipt)).toContain('version=3');
  expect((await verifyForged(receipt)).receipt).toEqual(receipt);
});

test.each([1, 2])(
  '[SIGN2, SIGN3] a receipt that an earlier release wrote verifies by its own version %i',
  async (v) => {
    const text = await readFile(new URL(`../../test/receipts/version-${v}.json`, import.meta.url), 'utf8');
    const { receipt: earlier, signers } = await verifyReceipt(text);
    expect(payloadTypeOf(earlier)).toContain(`version=${v}`);
    expect(signers.map(({ person, v: version }) => [person, version])).toEqual(
      v === 1
        ? []
        : [
            ['bob', 1],
            ['ann', 1],
          ],
    );
    await expect(verifyForged({ ...earlier, terms }, [], payloadTypeOf(earlier))).rejects.toThrow('altered');
  },
);

test('[SIGN2, SIGN3] even whoever has the server’s key cannot change what a passkey signed', async () => {
  const changes: [readonly (string | number)[], unknown][] = [
    [['sessionId'], 's2'],
    [['terms'], undefined],
    [['terms', 'risk'], 'low'],
    [['terms', 'risk'], undefined],
    [['terms', 'grantTtlMs'], 86_400_001],
    [['terms', 'sessionTtlMs'], undefined],
    [['terms', 'source', 'kind'], 'tool'],
    [['terms', 'source', 'name'], 'door'],
    [['terms', 'source', 'more'], 'text'],
    [['settlement', 'payload', 'reason'], 'Never'],
    [['settlement', 'payload', 'approvalScope'], 'always'],
    [['settlement', 'payload', 'answerId'], 'b'],
    [['settlement', 'payload', 'by', 'owner'], 'eve'],
    [['settlement', 'payload', 'editedArgs'], { path: '/' }],
    [['settlement', 'payload', 'ruleId'], 'all'],
    [['settlement', 'payload', 'assertion'], undefined],
    [['settlement', 'payload', 'assertion', 'v'], undefined],
    [['votes', 0, 'payload', 'assertion', 'v'], undefined],
    [['votes', 0, 'payload', 'by', 'owner'], 'eve'],
    [['votes', 0, 'payload', 'reason'], undefined],
    [['votes', 0, 'payload', 'assertion'], undefined],
  ];
  for (const [path, value] of changes)
    await expect(verifyForged(change(receipt, path, value)), path.join()).rejects.toThrow('passkey');
  const other = digestText('open', { ...two.spec, title: 'Close it?' });
  await expect(verifyForged({ ...receipt, shown: other, digest: hash('sha256', other) })).rejects.toThrow('passkey');
});

test.each(['ES256', 'EdDSA', 'RS256'] as const)(
  '[SIGN2, SIGN3] no byte of a signature by a passkey can be changed unnoticed: %s',
  async (algorithm) => {
    const payload = one.sign('ann', 'a', { key: new Authenticator('https://parley.example', algorithm) });
    const signed = receiptOf(payload);
    await verifyForged(signed);
    for (const name of ['publicKey', 'origin', 'authenticatorData', 'clientDataJSON', 'signature'] as const) {
      const value = payload.assertion[name];
      for (let at = 0; at < value.length; at += 1) {
        const changed = `${value.slice(0, at)}${value[at] === 'A' ? 'B' : 'A'}${value.slice(at + 1)}`;
        const forged = change(signed, ['settlement', 'payload', 'assertion', name], changed);
        await expect(verifyForged(forged), `${name} at ${at}`).rejects.toThrow();
      }
    }
  },
);

test('[SIGN2, SIGN3] every byte of the terms is signed', async () => {
  const signed = receiptOf(one.sign('ann', 'a'));
  await verifyForged(signed);
  const text = JSON.stringify(terms);
  const changed = Array.from(text, (was, at) => `${text.slice(0, at)}${was === '1' ? '2' : '1'}${text.slice(at + 1)}`);
  const readable = changed.filter((each) => {
    try {
      return JSON.parse(each);
    } catch {
      return false;
    }
  });
  expect(readable.length).toBeGreaterThan(50);
  for (const each of readable)
    await expect(verifyForged({ ...signed, terms: JSON.parse(each) }), each).rejects.toThrow();
});

test('[SIGN2, SIGN3] a receipt cannot be relabelled as one of an earlier version, which has no terms', async () => {
  const signed = receiptOf(one.sign('ann', 'a'));
  const { terms: _, ...bare } = signed;
  await expect(verifyForged(signed, [], payloadTypeOf(bare))).rejects.toThrow('altered');
  const asVersion1 = change(bare, ['settlement', 'payload', 'assertion', 'v'], undefined);
  for (const forged of [bare, asVersion1]) {
    expect(payloadTypeOf(forged)).toContain('version=2');
    await expect(verifyForged(forged)).rejects.toThrow('not this answer');
  }
});

test('[SIGN2, SIGN3] an answer that an earlier page signed verifies, and is not said to cover the terms', async () => {
  const votes = [two.vote(4, two.sign('bob', 'v', { v: 1 }))];
  const settlement = two.settle({ ...two.sign('ann', 'a'), votes: { approve: 2, deny: 0 } });
  const mixed = makeReceipt({ request: two.request, votes, settlement, rows: [] });
  const { signers } = await verifyForged(mixed);
  expect(signers.map(({ person, v }) => [person, v])).toEqual([
    ['bob', 1],
    ['ann', 2],
  ]);
  await expect(verifyForged(change(mixed, ['votes', 0, 'payload', 'assertion', 'v'], 2))).rejects.toThrow('passkey');
});

test('[SIGN2, SIGN3] the passkey is named by the key that verified, and one can demand that it is a certain one', async () => {
  expect(anns).toMatch(/^SHA256:[\w+/]{43}$/);
  expect((await verifyForged(receipt)).passkeys).toEqual([bobs, anns]);
  expect((await verifyForged(receipt, [anns, bobs])).passkeys).toEqual([bobs, anns]);
  await expect(verifyForged(receipt, [anns])).rejects.toThrow(bobs);

  const fake = new Authenticator('https://parley.example'); // of whoever has the server's key, under the id of a person's passkey
  const { assertion } = two.sign('ann', 'a', { key: fake });
  const stored = { ...assertion, credentialId: two.keyOf('ann').id };
  const forged = change(receipt, ['settlement', 'payload', 'assertion'], stored);
  const other = fingerprintOfPasskey(fake);
  expect((await verifyForged(forged)).passkeys).toEqual([bobs, other]);
  await expect(verifyForged(forged, [bobs, anns])).rejects.toThrow(anns);
  await expect(verifyForged(forged, [bobs])).rejects.toThrow(other);
  expect((await verifyForged(forged, [other, bobs])).passkeys).toHaveLength(2);
  const byGrant = receiptOf({ ...one.say('ann', 'a', approval), grantId: 'g' });
  await expect(verifyForged(byGrant, [anns])).rejects.toThrow(anns);
});

test('[SIGN2, SIGN3] the signature of an authenticator that did not verify the person is refused', async () => {
  await verifyForged(receiptOf(one.sign('ann', 'a')));
  await expect(verifyForged(receiptOf(one.sign('ann', 'a', { verifies: false })))).rejects.toThrow('passkey');
});

test('[SIGN2, SIGN3] a refusal and an answer by a grant have no signature, and the format says whether one was demanded', async () => {
  await verifyForged(receiptOf(one.say('ann', 'a', { action: 'deny', reason: 'Fine' } as const)));
  const byGrant = receiptOf({ ...one.say('ann', 'a', approval), grantId: 'g' });
  await verifyForged(byGrant);
  await expect(verifyForged(receiptOf(one.say('ann', 'a', approval)))).rejects.toThrow('without the signature');
  const plain = change(change(byGrant, ['terms'], undefined), ['stepUp'], undefined);
  expect(payloadTypeOf(plain)).toContain('version=1');
  await expect(verifyForged(plain, undefined, payloadTypeOf(byGrant))).rejects.toThrow('altered');
});

test('[SIGN2, SIGN3] a signature with an answer that needs none proves nothing, so there is no such receipt', async () => {
  const signed = receiptOf(one.sign('ann', 'a'));
  const { settlement } = signed;
  const states = (payload: object) => ({ ...signed, settlement: { ...settlement, payload } });
  const { approvalScope: _, ...words } = one.sign('ann', 'a');
  const other = digestText('open', { ...one.spec, title: 'Delete everything?' });
  const forgeries = {
    undemanded: change(signed, ['stepUp'], undefined),
    otherwise: { ...change(signed, ['stepUp'], undefined), shown: other, digest: hash('sha256', other) },
    denial: states({ ...words, action: 'deny', reason: 'Never' }),
    grant: states({ ...one.sign('ann', 'a'), grantId: 'g' }),
  };
  for (const [name, forged] of Object.entries(forgeries))
    await expect(verifyForged(forged), name).rejects.toThrow('an answer that takes none');
});

test('[SIGN2, SIGN3] who signed is the person in what was signed, whatever name, token and role are stated', async () => {
  const payload = one.sign('ann', 'a');
  const by = { ...payload.by, principal: 'boss', name: 'The Boss', role: 'operator' };
  const { signers } = await verifyForged(receiptOf({ ...payload, by }));
  const passkey = fingerprintOfPasskey(one.keyOf('ann'));
  expect(signers).toEqual([{ seq: 9, person: 'ann', passkey, origin: 'https://parley.example', v: 2 }]);
  expect((await verifyForged(receipt)).signers).toMatchObject([
    { seq: 4, person: 'bob', passkey: bobs },
    { seq: 9, person: 'ann', passkey: anns },
  ]);
});

test('[SIGN2, SIGN3, TEAM3] one passkey cannot sign as two persons', async () => {
  const forged = change(receipt, ['votes', 0, 'payload'], {
    ...two.vote(4, two.sign('bob', 'v', { key: two.keyOf('ann') })).payload,
  });
  await expect(verifyForged(forged)).rejects.toThrow(`${anns} signed for several persons`);
});

test('[SIGN2, SIGN3] a passkey that is demanded must have signed what settled the prompt, not only a vote', async () => {
  const prompt = new SignedPrompt({ approve: 2 });
  const votes = [prompt.vote(4, prompt.sign('bob', 'v'))];
  const denial = prompt.say('eve', 'd', { action: 'deny' } as const);
  const fingerprint = fingerprintOfPasskey(prompt.keyOf('bob'));
  for (const settlement of [prompt.settle({ ...denial, votes: { approve: 1, deny: 1 } }), prompt.close()]) {
    const settled = makeReceipt({ request: prompt.request, votes, settlement, rows: [] });
    expect((await verifyForged(settled)).passkeys).toEqual([fingerprint]);
    await expect(verifyForged(settled, [fingerprint])).rejects.toThrow('No passkey signed what settled it');
  }
});

test.each(['ES256', 'ES512', 'EdDSA', 'RS256'] as const)(
  '[SIGN2, SIGN3] a passkey of the algorithm %s verifies, in whichever order its key is described',
  async (algorithm) => {
    for (const isTypeLast of [false, true]) {
      const key = new Authenticator('https://parley.example', algorithm, isTypeLast);
      const signed = receiptOf(one.sign('ann', 'a', { key }));
      expect((await verifyForged(signed)).passkeys).toEqual([fingerprintOfPasskey(key)]);
      await expect(verifyForged(change(signed, ['terms', 'risk'], 'low'))).rejects.toThrow('passkey');
    }
  },
);

test('[SIGN2, SIGN3] a signature has one spelling, in whichever order the key is described', async () => {
  for (const isTypeLast of [false, true]) {
    const key = new Authenticator('https://parley.example', 'ES256', isTypeLast);
    const payload = one.sign('ann', 'a', { key });
    const other = { ...payload, assertion: { ...payload.assertion, signature: respell(payload.assertion.signature) } };
    await expect(verifyForged(receiptOf(other))).rejects.toThrow('its signature is not valid');
  }
});
