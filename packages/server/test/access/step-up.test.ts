import type { InteractionRequest } from '@parleyhq/core';
import { expect, test } from 'vitest';
import askUser from '../../../../plugins/ask-user/src/index.ts';
import { Authenticator, addPasskey, respell } from '../support/authenticator.ts';
import { LocalServer } from '../support/local-server.ts';
import { openStepUpStage, type Person, type StepUpStage } from '../support/step-up-stage.ts';
import type { Reply } from '../support/tab.ts';

const approve = { action: 'approve', approvalScope: 'once' } as const;

function codeOf(reply: Reply): string {
  return reply.ok ? 'ok' : reply.error.code;
}

/** Answers, is refused for the passkey, and returns the reason. */
async function refusalOf({ session }: StepUpStage, { tab }: Person, prompt: InteractionRequest, answer: object) {
  const reply = await tab.answer(session, prompt, answer);
  expect(codeOf(reply)).toBe('step_up_required');
  return reply.ok ? '' : reply.error.message;
}

test('[SIGN2] a prompt at the configured risk is answered only with a passkey, and the log holds what it signed', async () => {
  const stage = await openStepUpStage();
  const { owner, session, origin } = stage;
  const low = await stage.ask('vault_low');
  expect(low).not.toHaveProperty('stepUp');
  expect(codeOf(await owner.tab.answer(session, low, approve))).toBe('ok');
  const prompt = await stage.ask('vault_high');
  expect(prompt).toMatchObject({ stepUp: true });
  const refused = await owner.tab.answer(session, prompt, approve);
  const url = `/s/${session}/${prompt.interactionId}`;
  expect(refused).toMatchObject({
    error: {
      code: 'step_up_required',
      message: expect.stringContaining(url),
      details: { url: expect.stringContaining(url) },
    },
  });
  const signed = stage.sign(owner, prompt, { ...approve, reason: 'Fine' });
  expect(codeOf(await owner.tab.answer(session, prompt, signed))).toBe('ok');
  const { assertion } = await stage.settled(prompt);
  expect(assertion).toEqual({
    ...{ credentialId: owner.key.id, publicKey: owner.key.publicKey, origin },
    ...{ ...signed.assertion.response, v: 2 },
  });
  const { assertion: _, ...again } = signed;
  expect(codeOf(await owner.tab.answer(session, prompt, again))).toBe('ok'); // the same answer gets the same reply
  const [passkey] = (await (await owner.call('/api/passkeys')).json()).passkeys;
  expect(passkey).toMatchObject({ name: 'Key', origin, lastUsedAt: expect.any(String) });
  expect(passkey).not.toHaveProperty('publicKey');
});

test('[SIGN2] saying no takes no passkey', async () => {
  const stage = await openStepUpStage();
  for (const action of ['deny', 'cancel'] as const) {
    const prompt = await stage.ask('vault_high');
    expect(codeOf(await stage.owner.tab.answer(stage.session, prompt, { action }))).toBe('ok');
  }
});

test('[SIGN2] forms and addresses demand it, too, and a secret is not part of what is signed', async () => {
  const stage = await openStepUpStage();
  const { owner, session } = stage;
  const form = await stage.ask('vault_form');
  const submit = { action: 'submit', input: { city: 'Bern', pin: '8461' } } as const;
  expect(codeOf(await owner.tab.answer(session, form, submit))).toBe('step_up_required');
  expect(codeOf(await owner.tab.answer(session, form, stage.sign(owner, form, submit)))).toBe('ok');
  const address = await stage.ask('vault_link');
  expect(codeOf(await owner.tab.answer(session, address, { action: 'approve' }))).toBe('step_up_required');
  expect(codeOf(await owner.tab.answer(session, address, stage.sign(owner, address, { action: 'approve' })))).toBe(
    'ok',
  );
});

test('[SIGN2] an assertion that is wrong, foreign, replayed or unverified is refused, each with its reason', async () => {
  const stage = await openStepUpStage();
  const { owner, session } = stage;
  const ann = await stage.enter({ role: 'responder', name: 'Ann' });
  const first = await stage.ask('vault_high');
  const replayed = stage.sign(ann, first, approve);
  await ann.tab.answer(session, first, { action: 'deny' });
  const prompt = await stage.ask('vault_high');
  const wordsOf = (answer: object) => refusalOf(stage, ann, prompt, answer);
  const something = expect.stringContaining('signed something else');
  const { digest } = prompt;
  const ids = { sessionId: session, answerId: 'a-1' };
  expect(await wordsOf({ ...replayed, digest })).toEqual(something);
  expect(await wordsOf({ ...stage.sign(ann, prompt, approve), reason: 'Changed' })).toEqual(something);
  expect(await wordsOf({ ...stage.sign(ann, prompt, approve), answerId: 'another' })).toEqual(something);
  expect(await wordsOf(ann.key.signAnswer({ ...ids, person: 'owner' }, prompt, approve))).toEqual(something);
  expect(await wordsOf({ ...approve, digest, assertion: ann.key.sign('AAAA') })).toContain('answerId');
  expect(await wordsOf(stage.sign(owner, prompt, approve))).toContain('not one of yours');
  expect(await wordsOf(stage.sign({ id: ann.id, key: owner.key }, prompt, approve))).toContain('not one of yours');
  expect(await wordsOf(stage.sign(ann, prompt, approve, { verifies: false }))).toContain('did not verify');
  const elsewhere = stage.sign(ann, prompt, approve, { origin: 'http://evil.example' });
  expect(await wordsOf(elsewhere)).toContain('signs only there');
  const broken = stage.sign(ann, prompt, approve);
  const { signature } = owner.key.sign('AAAA').response;
  const response = { ...broken.assertion.response, signature };
  expect(await wordsOf({ ...broken, assertion: { ...broken.assertion, response } })).toContain('not valid');
  expect(codeOf(await ann.tab.answer(session, prompt, stage.sign(ann, prompt, approve)))).toBe('ok');
});

test('[SIGN2] a page of an earlier release, which does not sign the terms, is refused and asked to reload', async () => {
  const stage = await openStepUpStage();
  const { owner } = stage;
  for (const [tool, answer] of [
    ['vault_high', approve],
    ['vault_form', { action: 'submit', input: { city: 'Bern', pin: '8461' } }],
    ['vault_two', { action: 'approve' }],
  ] as const) {
    const prompt = await stage.ask(tool);
    const earlier = stage.sign(owner, prompt, answer, { v: 1 });
    expect(await refusalOf(stage, owner, prompt, earlier)).toContain('reload the page');
    const doctored = { ...earlier.assertion, v: 1 }; // nobody chooses the version
    expect(codeOf(await owner.tab.answer(stage.session, prompt, { ...earlier, assertion: doctored }))).toBe(
      'bad_frame',
    );
    expect(codeOf(await owner.tab.answer(stage.session, prompt, stage.sign(owner, prompt, answer)))).toBe('ok');
  }
});

test('[SIGN2] what was signed for other terms than those of the prompt counts for nothing', async () => {
  const stage = await openStepUpStage();
  const { owner } = stage;
  const prompt = await stage.ask('vault_high');
  for (const other of [
    { risk: 'low' },
    { risk: undefined },
    { source: { kind: 'agent', name: 'vault_high' } },
    { source: { kind: 'tool', name: 'vault_low' } },
    { grantTtlMs: 1000 },
    { sessionTtlMs: 1000 },
  ] as const) {
    const signed = stage.sign(owner, { ...prompt, ...other } as InteractionRequest, approve);
    expect(await refusalOf(stage, owner, prompt, signed)).toContain('signed something else');
  }
});

test('[SIGN2, SIGN3] nobody gives an answer whose receipt would not verify, by spelling a signature in another way', async () => {
  const stage = await openStepUpStage();
  const { owner } = stage;
  const prompt = await stage.ask('vault_high');
  const signed = stage.sign(owner, prompt, approve);
  const { id, response } = signed.assertion;
  const { authenticatorData: data, signature } = response;
  const next = String.fromCharCode(data.charCodeAt(data.length - 1) + 1); // differs in bits that mean nothing
  const spellings = [{ signature: respell(signature) }, { authenticatorData: data.slice(0, -1) + next }];
  for (const spelling of spellings) {
    const assertion = { id, response: { ...response, ...spelling } };
    expect(await refusalOf(stage, owner, prompt, { ...signed, assertion })).toContain('not valid');
  }
});

test('[SIGN2] a passkey whose counter goes back, as that of a copy does, or that was revoked, signs nothing', async () => {
  const stage = await openStepUpStage();
  const { session, server } = stage;
  const ann = await stage.enter({ role: 'responder', name: 'Ann' });
  const first = await stage.ask('vault_high');
  ann.key.counter = 40;
  expect(codeOf(await ann.tab.answer(session, first, stage.sign(ann, first, approve)))).toBe('ok');
  const prompt = await stage.ask('vault_high');
  ann.key.counter = 12;
  expect(await refusalOf(stage, ann, prompt, stage.sign(ann, prompt, approve))).toContain('not valid');
  ann.key.counter = 90;
  const signed = stage.sign(ann, prompt, approve);
  for (const { id } of await server.local.store.passkeys.list(ann.id)) await server.local.store.passkeys.revoke(id);
  expect(await refusalOf(stage, ann, prompt, signed)).toContain('not one of yours');
});

test('[SIGN2] a passkey that is revoked between its check and the commit approves nothing', async () => {
  const stage = await openStepUpStage();
  const { owner, session, server } = stage;
  const { store } = server.local;
  const prompt = await stage.ask('vault_high');
  const [passkey] = await store.passkeys.list();
  store.intercept('events', 'append', async (proceed) => {
    await store.passkeys.revoke(String(passkey?.id)); // as another node would, after the signature was verified
    return proceed();
  });
  const reply = await owner.tab.answer(session, prompt, stage.sign(owner, prompt, approve));
  expect(reply).toMatchObject({ ok: false, error: { code: 'step_up_required' } });
  expect(owner.tab.events(session).filter(({ type }) => type === 'interaction_response')).toEqual([]);
});

test('[SIGN2, SEC9] a stolen token or cookie alone approves nothing, and cannot bring a passkey of its own', async () => {
  const stage = await openStepUpStage();
  const { owner, session, server, origin } = stage;
  const prompt = await stage.ask('vault_high');
  const thief = await server.local.open({ hello: { token: owner.token } });
  const key = new Authenticator(origin);
  expect(codeOf(await thief.answer(session, prompt, approve))).toBe('step_up_required');
  expect(codeOf(await thief.answer(session, prompt, stage.sign({ id: 'owner', key }, prompt, approve)))).toBe(
    'step_up_required',
  );
  const added = await addPasskey(owner.token, key);
  expect([added.status, (await added.json()).error.code]).toEqual([403, 'step_up_required']);
  const byItself = await addPasskey(owner.token, key, key);
  expect((await byItself.json()).error.code).toBe('step_up_required');
  const response = await owner.call(`/api/sessions/${session}/interactions/${prompt.interactionId}/response`, approve);
  expect([response.status, (await response.json()).error.code]).toEqual([403, 'step_up_required']);
});

test('[SIGN2, TEAM3] each vote to approve is signed, and the deciding one does not stand for the others', async () => {
  const stage = await openStepUpStage();
  const { session } = stage;
  const people = [await stage.enter({ role: 'operator' }), await stage.enter({ role: 'operator' })];
  const prompt = await stage.ask('vault_two');
  const vote = { action: 'approve', reason: 'Fine' } as const;
  for (const person of people) {
    expect(codeOf(await person.tab.answer(session, prompt, { ...vote, digest: prompt.digest }))).toBe(
      'step_up_required',
    );
    expect(codeOf(await person.tab.answer(session, prompt, stage.sign(person, prompt, vote)))).toBe('ok');
  }
  const cast = await stage.owner.tab.event(session, 'interaction_vote');
  expect(cast.payload.assertion?.credentialId).toBe(people[0]?.key.id);
  expect((await stage.settled(prompt)).assertion?.credentialId).toBe(people[1]?.key.id);
});

test('[SIGN2] a server that admits everybody cannot demand passkeys', async () => {
  const open = new LocalServer({ stepUp: { risk: 'high' } });
  await expect(open.start()).rejects.toThrow('stepUp');
});

test('[SIGN2] permission requests of coding agents carry no risk: to demand a passkey for them, one names their tool', async () => {
  for (const tools of [[], ['permission']]) {
    const stage = await openStepUpStage({ plugins: [askUser], stepUp: { risk: 'medium', tools } });
    const prompt = await stage.ask('permission', { tool_name: 'Bash', input: { command: 'rm -rf build' } });
    expect(prompt).not.toHaveProperty('risk');
    expect(prompt.stepUp).toBe(tools.length > 0 || undefined);
  }
});
