import { generateKeyPairSync } from 'node:crypto';
import { verifyReceipt } from '@parleyhq/server';
import { expect, test } from 'vitest';
import { Authenticator, addPasskey, makePage } from '../support/authenticator.ts';
import { startGuardedServer } from '../support/guarded-server.ts';
import { openStepUpStage, type StepUpStage } from '../support/step-up-stage.ts';

const approve = { action: 'approve', approvalScope: 'once' } as const;
const site = 'https://app.example.org';

/** An authenticator that does not count its signatures, as those of most synced passkeys do not. */
class Uncounting extends Authenticator {
  override sign(...given: Parameters<Authenticator['sign']>): ReturnType<Authenticator['sign']> {
    this.counter = -1; // the signature then has 0
    return super.sign(...given);
  }
}

const outcomeOf = (reply: object) => ('error' in reply ? (reply.error as { message: string }).message : 'ok');

async function open() {
  const server = await startGuardedServer();
  const origin = `http://localhost:${server.local.port}`;
  const { id, token } = await server.makeToken({ role: 'responder', name: 'Ann' });
  const key = new Uncounting(origin);
  expect((await addPasskey(token, key)).status).toBe(200);
  const count = async () => (await server.local.store.passkeys.list(id)).length;
  return { server, origin, token, key, call: makePage(origin, token), count };
}

test('[SIGN2] one signature adds one passkey, however often and however fast it is sent', async () => {
  const { origin, key, call, count } = await open();
  const { ticket, creation, signing } = await (await call('/api/passkeys/options', {})).json();
  const assertion = key.sign(signing.challenge);
  const add = () => {
    const registration = new Authenticator(origin).register(creation.challenge);
    return call('/api/passkeys', { ticket, name: 'Key', registration, assertion });
  };
  const first = await Promise.all([add(), add(), add()]);
  expect(first.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
  const late = await add();
  expect(late.status).toBe(400);
  expect((await late.json()).error.message).toContain('completed already');
  expect(await count()).toBe(2);
});

test('[SIGN2] a change that was refused can still be completed, once', async () => {
  const { origin, key, call, count } = await open();
  const { ticket, creation, signing } = await (await call('/api/passkeys/options', {})).json();
  const made = { ticket, name: 'Key', registration: new Authenticator(origin).register(creation.challenge) };
  expect((await call('/api/passkeys', { ...made, assertion: key.sign('AAAA') })).status).toBe(403);
  expect((await call('/api/passkeys', { ...made, assertion: key.sign(signing.challenge) })).status).toBe(200);
  expect(await count()).toBe(2);
});

test('[SIGN2] of two signatures that arrive in the wrong order the late one is refused in words that say why', async () => {
  const stage = await openStepUpStage();
  const { owner, session } = stage;
  const other = await owner.tab.createSession();
  await owner.tab.follow(other);
  const first = await stage.ask('vault_high');
  const { seq } = await owner.tab.say(other, '/call vault_high {}');
  const second = await owner.tab.prompt(other, seq);
  const early = stage.sign(owner, first, approve);
  const late = owner.key.signAnswer({ sessionId: other, person: 'owner', answerId: 'a' }, second, approve);
  expect(outcomeOf(await owner.tab.answer(other, second, late))).toBe('ok');
  const refused = outcomeOf(await owner.tab.answer(session, first, early));
  expect(refused).toContain('has signed something else since');
  expect(outcomeOf(await owner.tab.answer(session, first, stage.sign(owner, first, approve)))).toBe('ok');
});

/** Answers a prompt of its own. @param client - what the browser states about the page */
async function answerFrom(stage: StepUpStage, client: object): Promise<string> {
  const { owner, session } = stage;
  const prompt = await stage.ask('vault_high');
  const outcome = outcomeOf(await owner.tab.answer(session, prompt, stage.sign(owner, prompt, approve, { client })));
  if (outcome !== 'ok') await owner.tab.answer(session, prompt, { action: 'deny' });
  return outcome;
}

test('[SIGN2, TRN3] in a frame of another site’s page no passkey signs, and none is added', async () => {
  const stage = await openStepUpStage();
  for (const client of [{}, { crossOrigin: undefined }]) expect(await answerFrom(stage, client)).toBe('ok');
  const framed = [
    { crossOrigin: true },
    { crossOrigin: true, topOrigin: site },
    { topOrigin: site },
    { crossOrigin: 1 },
  ];
  for (const client of framed) {
    expect(await answerFrom(stage, client), JSON.stringify(client)).toContain('within a page of another site');
    const { token } = await stage.server.makeToken({ role: 'responder' });
    const call = makePage(stage.origin, token);
    const { ticket, creation } = await (await call('/api/passkeys/options', {})).json();
    const registration = new Authenticator(stage.origin).register(creation.challenge, client);
    const added = await call('/api/passkeys', { ticket, name: 'Key', registration });
    expect([added.status, (await added.json()).error.message]).toEqual([400, expect.stringContaining('another site')]);
  }
});

test('[SIGN2, TRN3, SIGN3] a passkey signs in a frame of those pages that may frame Parley, and the receipt is valid', async () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const stage = await openStepUpStage({ frameAncestors: [site], receiptKey: () => privateKey });
  const evil = { crossOrigin: true, topOrigin: 'https://evil.example' };
  expect(await answerFrom(stage, evil)).toContain('within a page of another site');
  for (const client of [{ crossOrigin: true }, { crossOrigin: true, topOrigin: site }]) {
    const { owner, session } = stage;
    const prompt = await stage.ask('vault_high');
    const signed = stage.sign(owner, prompt, approve, { client });
    expect(outcomeOf(await owner.tab.answer(session, prompt, signed))).toBe('ok');
    const path = `/api/sessions/${session}/interactions/${prompt.interactionId}/receipt`;
    expect(await verifyReceipt(await (await owner.call(path)).text())).toMatchObject({ receipt: { stepUp: true } });
  }
});
