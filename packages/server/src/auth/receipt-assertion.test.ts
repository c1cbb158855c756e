import { generateKeyPairSync, hash } from 'node:crypto';
import { type ChatEvent, digestText, type InteractionRequest, type InteractionSpec } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { Authenticator } from '../../test/support/authenticator.ts';
import { fingerprintOfPasskey } from './fingerprint.ts';
import { makeReceipt, type Receipt } from './receipt.ts';
import { payloadTypeOf, signReceipt, verifyReceipt } from './receipt-envelope.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const spec: InteractionSpec = { type: 'approval', title: 'Open it?', approvalScopes: ['once'] };
const digest = hash('sha256', digestText('open', spec));
const { type: interactionType, ...shown } = spec;
const about = { id: 'e', sessionId: 's', turnId: 't', v: 1 };
const timestamp = '2026-03-01T12:00:00.000Z';
const by = { clientId: 'b', connectionId: 'k', principal: 'phone', owner: 'ann', transport: 'ws' };
const ids = { toolCallId: 'c', interactionId: 'c.1' };
const request = {
  ...{ ...about, seq: 3, timestamp, type: 'interaction_request' },
  payload: {
    ...{ ...shown, ...ids, slot: '1', toolName: 'open', interactionType, attempt: 1, digest, stepUp: true },
    ...{ presentation: 'tool', source: { kind: 'tool' }, onUnavailable: 'error' },
  },
} as unknown as ChatEvent<'interaction_request'>;

const key = new Authenticator('https://parley.example');
const answer = { action: 'approve', approvalScope: 'once', reason: 'Fine' } as const;

function sign(person: string, answerId: string, part: object = {}) {
  const { assertion } = key.signAnswer(
    { sessionId: 's', person, answerId },
    request.payload as InteractionRequest,
    answer,
  );
  const { id: credentialId, response } = assertion;
  const stored = { credentialId, publicKey: key.publicKey, origin: key.origin, ...response };
  return { ...ids, ...answer, answerId, by, assertion: stored, ...part };
}

const settlement = {
  ...{ ...about, seq: 5, timestamp, type: 'interaction_response' },
  payload: sign('ann', 'a'),
} as unknown as ChatEvent<'interaction_response'>;
const vote = {
  ...{ ...about, seq: 4, timestamp, type: 'interaction_vote' },
  payload: sign('bob', 'v', { by: { ...by, owner: 'bob' }, votes: { approve: 1, deny: 0 } }),
} as unknown as ChatEvent<'interaction_vote'>;
const receipt = makeReceipt({ request, votes: [vote], settlement, rows: [] });

const check = (changed: object) => verifyReceipt(signReceipt(changed as Receipt, privateKey));

/** Returns the receipt with another value at a path. */
function change(path: readonly (string | number)[], value: unknown): object {
  const copy = structuredClone(receipt) as never;
  const place = path.slice(0, -1).reduce<Record<string | number, never>>((at, name) => at[name] as never, copy);
  place[path.at(-1) ?? ''] = value as never;
  return copy;
}

test('[SIGN2, SIGN3] a receipt has what passkeys signed, in a format of its own, and it verifies without the server', async () => {
  expect(receipt.stepUp).toBe(true);
  expect(payloadTypeOf(receipt)).toContain('version=2');
  expect((await check(receipt)).receipt).toEqual(receipt);
});

test('[SIGN2, SIGN3] even whoever has the server’s key cannot change what a passkey signed', async () => {
  const changes: [readonly (string | number)[], unknown][] = [
    [['sessionId'], 's2'],
    [['settlement', 'payload', 'reason'], 'Never'],
    [['settlement', 'payload', 'approvalScope'], 'always'],
    [['settlement', 'payload', 'answerId'], 'b'],
    [['settlement', 'payload', 'by', 'owner'], 'eve'],
    [['settlement', 'payload', 'editedArgs'], { path: '/' }],
    [['settlement', 'payload', 'ruleId'], 'all'],
    [['settlement', 'payload', 'assertion'], undefined],
    [['votes', 0, 'payload', 'by', 'owner'], 'eve'],
    [['votes', 0, 'payload', 'reason'], undefined],
    [['votes', 0, 'payload', 'assertion'], undefined],
  ];
  for (const [path, value] of changes) await expect(check(change(path, value)), path.join()).rejects.toThrow();
  const other = digestText('open', { ...spec, title: 'Close it?' });
  await expect(check({ ...receipt, shown: other, digest: hash('sha256', other) })).rejects.toThrow('passkey');
});

test('[SIGN2, SIGN3] no byte of a signature by a passkey can be changed unnoticed', async () => {
  const { assertion } = settlement.payload;
  for (const name of ['publicKey', 'origin', 'authenticatorData', 'clientDataJSON', 'signature'] as const) {
    const value = String(assertion?.[name]);
    for (let at = 0; at < value.length; at += 1) {
      const changed = `${value.slice(0, at)}${value[at] === 'A' ? 'B' : 'A'}${value.slice(at + 1)}`;
      const forged = change(['settlement', 'payload', 'assertion', name], changed);
      await expect(check(forged), `${name} at ${at}`).rejects.toThrow();
    }
  }
});

test('[SIGN2, SIGN3] the passkey is named by the key that verified, and one can demand that it is a certain one', async () => {
  const fingerprint = fingerprintOfPasskey(key);
  expect(fingerprint).toMatch(/^SHA256:[\w+/]{43}$/);
  const verify = (changed: object, ...passkeys: readonly string[]) =>
    verifyReceipt(signReceipt(changed as Receipt, privateKey), undefined, passkeys);
  expect((await verify(receipt)).passkeys).toEqual([fingerprint]);
  expect((await verify(receipt, fingerprint)).passkeys).toEqual([fingerprint]);

  const fake = new Authenticator(key.origin); // of whoever has the server's key, under the id of a person's passkey
  const ids = { sessionId: 's', person: 'ann', answerId: 'a' };
  const { assertion } = fake.signAnswer(ids, request.payload as InteractionRequest, answer);
  const stored = { credentialId: key.id, publicKey: fake.publicKey, origin: fake.origin, ...assertion.response };
  const forged = change(['settlement', 'payload', 'assertion'], stored);
  const other = fingerprintOfPasskey(fake);
  expect((await verify(forged)).passkeys).toEqual([fingerprint, other]);
  await expect(verify(forged, fingerprint)).rejects.toThrow(other);
  expect((await verify(forged, other, fingerprint)).passkeys).toHaveLength(2);
  const { assertion: _, ...unsigned } = settlement.payload;
  const byGrant = { ...change(['settlement', 'payload'], { ...unsigned, grantId: 'g' }), votes: undefined };
  await expect(verify(JSON.parse(JSON.stringify(byGrant)), fingerprint)).rejects.toThrow(fingerprint);
});

test('[SIGN2, SIGN3] the signature of an authenticator that did not verify the person is refused', async () => {
  const unverified = key.signAnswer(
    { sessionId: 's', person: 'ann', answerId: 'a' },
    request.payload as InteractionRequest,
    answer,
    { verifies: false },
  );
  const stored = { ...settlement.payload.assertion, ...unverified.assertion.response };
  await expect(check(change(['settlement', 'payload', 'assertion'], stored))).rejects.toThrow('passkey');
});

test('[SIGN2, SIGN3] a refusal and an answer by a grant have no signature, and the format says whether one was demanded', async () => {
  const { assertion: _, ...unsigned } = settlement.payload;
  const deny = { ...unsigned, action: 'deny', approvalScope: undefined };
  await check(change(['settlement', 'payload'], JSON.parse(JSON.stringify(deny))));
  await check(change(['settlement', 'payload'], { ...unsigned, grantId: 'g' }));
  const { stepUp: __, ...plain } = receipt;
  const envelope = JSON.parse(signReceipt(plain as Receipt, privateKey));
  expect(envelope.payloadType).toContain('version=1');
  envelope.payloadType = payloadTypeOf(receipt);
  await expect(verifyReceipt(JSON.stringify(envelope))).rejects.toThrow('altered');
});
