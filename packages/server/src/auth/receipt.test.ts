import { generateKeyPairSync, hash, sign } from 'node:crypto';
import { type ChatEvent, digestText, type InteractionSpec, RefusalError } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { makeReceipt, type SettledPrompt } from './receipt.ts';
import { payloadTypeOf, signReceipt, verifyReceipt } from './receipt-envelope.ts';
import { publicKeyOf, readPublicKey } from './receipt-key.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const publicKey = readPublicKey(publicKeyOf(privateKey));
const other = generateKeyPairSync('ed25519');

const spec: InteractionSpec = {
  type: 'approval',
  title: 'Run this?',
  prompt: 'It cleans up – “all of it”.',
  subject: { kind: 'command', text: 'rm -rf build\n# in /projects/shop' },
  approvalScopes: ['once'],
};
const digest = hash('sha256', digestText('run', spec));
const { type: interactionType, ...shown } = spec;
const about = { id: 'e', sessionId: 's', turnId: 't', v: 1 };
const actorOf = (principal: string) => ({ clientId: 'b', connectionId: 'k', principal, transport: 'ws' });
const request = {
  ...about,
  ...{ seq: 3, timestamp: '2026-03-01T12:00:00.000Z', type: 'interaction_request' },
  payload: {
    ...shown,
    ...{ toolCallId: 'c', interactionId: 'c.1', slot: '1', toolName: 'run', interactionType, attempt: 1, digest },
    ...{ presentation: 'tool', source: { kind: 'tool', name: 'run' }, onUnavailable: 'error' },
  },
} as unknown as ChatEvent<'interaction_request'>;
const settlement = {
  ...about,
  ...{ seq: 4, timestamp: '2026-03-01T12:00:05.000Z', type: 'interaction_response' },
  payload: {
    toolCallId: 'c',
    interactionId: 'c.1',
    answerId: 'a',
    action: 'approve',
    reason: 'Fine',
    by: actorOf('ann'),
  },
} as unknown as ChatEvent<'interaction_response'>;
const voteOf = (seq: number, principal: string, action: 'approve' | 'deny') =>
  ({
    ...about,
    ...{ seq, timestamp: `2026-03-01T12:00:0${seq}.000Z`, type: 'interaction_vote' },
    payload: {
      ...{ toolCallId: 'c', interactionId: 'c.1', answerId: `a${seq}`, action, by: actorOf(principal) },
      votes: { approve: 1, deny: 0 },
    },
  }) as unknown as ChatEvent<'interaction_vote'>;
const rowOf = (entry: object, n: number) => ({ n, text: JSON.stringify(entry), hash: `hash ${n}` });
const rows = [
  rowOf({ event: 'tool_call', seq: 2 }, 1),
  rowOf({ event: 'interaction_vote', seq: 4 }, 2),
  rowOf({ event: 'interaction_response', seq: 4 }, 3),
];
const settled: SettledPrompt = { request, votes: [], settlement, rows };
const receipt = makeReceipt(settled);
const text = signReceipt(receipt, privateKey);
const payloadType = payloadTypeOf(receipt);

test('[SIGN3] a receipt states what was shown, the answer, the actor, the time and the row of the audit', async () => {
  expect(receipt).toEqual({
    ...{ sessionId: 's', toolCallId: 'c', interactionId: 'c.1', toolName: 'run', digest },
    askedAt: '2026-03-01T12:00:00.000Z',
    shown: digestText('run', spec),
    terms: { source: { kind: 'tool', name: 'run' } },
    settlement: {
      ...{ event: 'interaction_response', seq: 4, at: '2026-03-01T12:00:05.000Z' },
      payload: settlement.payload,
    },
    audit: { n: 3, hash: 'hash 3' },
  });
  expect(await verifyReceipt(text, publicKey)).toEqual({
    receipt,
    fingerprint: expect.stringMatching(/^SHA256:[\w+/]{43}$/),
    passkeys: [],
    signers: [],
  });
  expect(signReceipt(makeReceipt(settled), privateKey)).toBe(text);
});

test('[SIGN3] what was stored differently from what was shown gets no receipt', async () => {
  const changed = { ...request, payload: { ...request.payload, title: 'Run that?' } } as typeof request;
  expect(() => makeReceipt({ ...settled, request: changed })).toThrow(RefusalError);
});

test('[SIGN3, TEAM3] a receipt has the votes that counted: the last of each person whose token was not revoked', async () => {
  const votes = [
    voteOf(4, 'bob', 'deny'),
    voteOf(5, 'cy', 'approve'),
    voteOf(6, 'bob', 'approve'),
    voteOf(7, 'ann', 'deny'),
    voteOf(8, 'dan', 'approve'),
  ];
  const payload = { ...settlement.payload, votes: { approve: 3, deny: 0 }, struck: ['cy'] };
  const decide = { approve: 3 };
  const asked = { ...request.payload, decide, digest: hash('sha256', digestText('run', { ...spec, decide })) };
  const signed = signReceipt(
    makeReceipt({
      ...{ ...settled, votes, settlement: { ...settlement, seq: 9, payload } },
      request: { ...request, payload: asked } as typeof request,
    }),
    privateKey,
  );
  const [bob, dan] = [votes[2], votes[4]];
  expect((await verifyReceipt(signed, publicKey)).receipt.votes).toEqual([
    { seq: 6, at: '2026-03-01T12:00:06.000Z', payload: bob?.payload },
    { seq: 8, at: '2026-03-01T12:00:08.000Z', payload: dan?.payload },
  ]);
});

test('[SIGN3] what somebody signed that is not what a receipt states is refused with the reason', async () => {
  const strange = [
    ...['null', '[]', '"x"', '{'].map((text) => ({ shown: text, digest: hash('sha256', text) })),
    { settlement: { ...receipt.settlement, payload: {} } },
    { settlement: { ...receipt.settlement, event: 'interaction_closed' } },
    { votes: [{ seq: 1, at: receipt.askedAt, payload: {} }] },
    ...[{ late: true }, JSON.parse('{"__proto__":{"late":true}}')].map((more) => ({
      settlement: { ...receipt.settlement, ...more },
    })),
    { note: 'of a later release' },
    JSON.parse('{"__proto__":{"note":"hidden"}}'),
  ];
  for (const change of strange) {
    const signed = signReceipt({ ...receipt, ...change } as typeof receipt, other.privateKey);
    await expect(verifyReceipt(signed), JSON.stringify(change)).rejects.toThrow('something else than a receipt');
  }
});

test('[SIGN3] no byte of a receipt can be changed, removed or added unnoticed', async () => {
  const isSpace = (at: number) => /\s/.test(text[at] as string);
  for (let at = 0; at < text.length; at += 1) {
    for (const character of [text[at] === 'A' ? 'B' : 'A', '"']) {
      if (character === text[at]) continue;
      const changed = text.slice(0, at) + character + text.slice(at + 1);
      await expect(
        verifyReceipt(changed, publicKey),
        `${character} at ${at}: ${text.slice(at - 20, at + 20)}`,
      ).rejects.toThrow();
    }
    if (!isSpace(at))
      await expect(
        // white space between members means nothing
        verifyReceipt(text.slice(0, at) + text.slice(at + 1), publicKey),
        `${at}`,
      ).rejects.toThrow();
  }
  await expect(verifyReceipt(`${text}x`, publicKey)).rejects.toThrow();
});

test('[SIGN3] a receipt that names something twice is refused: each program could read another value', async () => {
  const envelope = JSON.parse(text);
  const twice = (json: string, name: string) => json.replace(/^\{/, `{"${name}":"x",`);
  await expect(verifyReceipt(twice(text, 'payload'), publicKey)).rejects.toThrow('twice');
  await expect(verifyReceipt(text.replace('"payload"', '"p\\u0061yload"'), publicKey)).rejects.toThrow('spells');
  await verifyReceipt(JSON.stringify(envelope, undefined, '\t'), publicKey); // white space means nothing

  const signAnew = (payload: Buffer) => {
    const type = Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `);
    const sig = sign(null, Buffer.concat([type, payload]), privateKey).toString('base64');
    const [{ keyid }] = envelope.signatures;
    return JSON.stringify({ ...envelope, payload: payload.toString('base64'), signatures: [{ keyid, sig }] });
  };
  const body = Buffer.from(envelope.payload, 'base64');
  await verifyReceipt(signAnew(body), publicKey);
  const strange = [
    twice(body.toString(), 'digest'),
    ` ${body}`,
    body.toString().replace('"action":', '"action":"deny","action":'),
  ];
  for (const changed of [
    ...strange.map((json) => Buffer.from(json)),
    Buffer.from(body.toString('latin1').replace('\xe2\x80\x93', '\xff'), 'latin1'),
  ])
    await expect(verifyReceipt(signAnew(changed), publicKey), changed.toString()).rejects.toThrow('not canonical');
  const shown = twice(receipt.shown, 'title');
  const forged = signReceipt({ ...receipt, shown, digest: hash('sha256', shown) }, privateKey);
  await expect(verifyReceipt(forged, publicKey)).rejects.toThrow('not canonical');
});

test('[SIGN3] a receipt states all that was decided, whatever its members are named', async () => {
  const editedArgs = JSON.parse('{"path":"a","__proto__":{"path":"/etc"}}');
  const payload = { ...settlement.payload, editedArgs };
  const signed = signReceipt(makeReceipt({ ...settled, settlement: { ...settlement, payload } }), privateKey);
  const verified = await verifyReceipt(signed, publicKey);
  expect(JSON.stringify(verified.receipt.settlement)).toContain('"__proto__":{"path":"/etc"}');
});

test('[SIGN3] a receipt that another key signed anew is valid only for that key', async () => {
  const forged = signReceipt({ ...receipt, sessionId: 's2' }, other.privateKey);
  await expect(verifyReceipt(forged, publicKey)).rejects.toThrow('another key');
  expect((await verifyReceipt(forged)).fingerprint).not.toBe((await verifyReceipt(text)).fingerprint);
  const mixed = { ...JSON.parse(text), publicKey: JSON.parse(forged).publicKey };
  await expect(verifyReceipt(JSON.stringify(mixed))).rejects.toThrow('key id');
});

test('[SIGN3] a receipt of a later version, or with a key of another kind, is refused with the reason', async () => {
  const later = JSON.stringify({ ...JSON.parse(text), payloadType: payloadType.replace('=3', '=4') });
  await expect(verifyReceipt(later)).rejects.toThrow('format');
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'der', type: 'spki' });
  const unlike = JSON.stringify({ ...JSON.parse(text), publicKey: curve.toString('base64') });
  await expect(verifyReceipt(unlike)).rejects.toThrow('not an Ed25519 key');
  for (const nonsense of ['', '{}', '[]', 'null', '"x"'])
    await expect(verifyReceipt(nonsense)).rejects.toThrow('not a receipt');
});

test('[SIGN3] the signature is that of DSSE, so that other programs can verify it', async () => {
  const { payload, signatures } = JSON.parse(text);
  const body = Buffer.from(payload, 'base64');
  const signed = Buffer.concat([Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${body.length} `), body]);
  const key = await crypto.subtle.importKey(
    'spki',
    Buffer.from(JSON.parse(text).publicKey, 'base64'),
    'Ed25519',
    true,
    ['verify'],
  );
  expect(await crypto.subtle.verify('Ed25519', key, Buffer.from(signatures[0].sig, 'base64'), signed)).toBe(true);
});
