import type { InteractionRequest } from '@parleyhq/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Authenticator, addPasskey } from '../support/authenticator.ts';
import { Bundle } from '../support/bundle.ts';
import { Tab } from '../support/tab.ts';
import { type Subject, type start, token } from './step-up-subject.ts';

const approve = { action: 'approve', approvalScope: 'session' } as const;
const once = { action: 'approve', approvalScope: 'once' } as const;

/** A person with a passkey and a tab. */
async function enter({ port }: Subject) {
  const key = new Authenticator(`http://localhost:${port}`);
  expect((await addPasskey(token, key)).status).toBe(200);
  const tab = await Tab.open(`ws://127.0.0.1:${port}/ws`, { hello: { token } });
  const session = await tab.createSession();
  await tab.follow(session);
  const ask = async (tool: string): Promise<InteractionRequest> => {
    const { seq } = await tab.say(session, `/call ${tool} {}`);
    return tab.prompt(session, seq);
  };
  return { key, tab, session, ask };
}

/** Answers at low risk what asks at high risk after a restart. */
async function raiseRisk(tool: string, subject: Subject): Promise<void> {
  const { tab, session, ask } = await enter(subject);
  await tab.answer(session, await ask(tool), once);
  const isSure = ({ payload }: { payload: { title?: string | undefined } }) => payload.title === 'Sure?';
  await tab.event(session, 'interaction_request', isSure);
  await subject.restartAtHighRisk();
  const next = await Tab.open(`ws://127.0.0.1:${subject.port}/ws`, { hello: { token } });
  await next.follow(session);
  await next.answer(session, (await next.event(session, 'interaction_request', isSure)).payload, once);
  const isSigned = ({ payload }: { payload: { stepUp?: true | undefined } }) => payload.stepUp === true;
  const asked = next.event(session, 'interaction_request', isSigned).then(() => 'asked');
  expect(
    await firstOf(
      asked,
      next.event(session, 'turn_end').then(() => 'accepted'),
    ),
  ).toBe('asked');
}

/** Waits for one of the events; the server closes before the others come. */
function firstOf(...events: readonly Promise<string>[]): Promise<string> {
  for (const each of events) each.catch(() => undefined);
  return Promise.race(events);
}

/** Answers with a passkey that is removed after its signature was verified. */
async function answerMeanwhile(subject: Subject): Promise<void> {
  const { key, tab, session, ask } = await enter(subject);
  const prompt = await ask('ask_high');
  const [passkey] = await subject.store.passkeys.list();
  subject.store.intercept('events', 'append', async (proceed) => {
    await subject.store.passkeys.revoke(String(passkey?.id));
    return proceed();
  });
  const signed = key.signAnswer({ sessionId: session, person: 'owner', answerId: 'a' }, prompt, approve);
  const reply = await tab.answer(session, prompt, signed);
  expect(reply.ok ? 'accepted' : reply.error.code).toBe('step_up_required');
}

const mutants: Record<string, { marker: string; replacement: string; attack(subject: Subject): Promise<void> }> = {
  '[SIGN2] no demand for a signature (step-up.test.ts)': {
    ...{ marker: 'step-up', replacement: '' },
    async attack(subject) {
      const { tab, session, ask } = await enter(subject);
      const reply = await tab.answer(session, await ask('ask_high'), approve);
      expect(reply.ok ? 'accepted' : reply.error.code).toBe('step_up_required');
    },
  },
  '[SIGN2] no passkey in the transaction (step-up.test.ts)': {
    ...{ marker: 'passkey', replacement: '', attack: answerMeanwhile },
  },
  '[SIGN2] no look at the passkey in the transaction (sqlite.test.ts)': {
    ...{ marker: 'passkey-held', replacement: '', attack: answerMeanwhile },
  },
  '[SIGN2] grants that no passkey signed (step-up-grants.test.ts)': {
    ...{ marker: 'signed-grant', replacement: '' },
    async attack(subject) {
      const { tab, session, ask } = await enter(subject);
      await tab.answer(session, await ask('ask_low'), approve);
      await tab.event(session, 'turn_end');
      const { seq } = await tab.say(session, '/call ask_high {}');
      const asked = tab.event(session, 'interaction_request', undefined, seq).then(() => 'asked');
      const ended = tab.event(session, 'turn_end', undefined, seq).then(() => 'accepted');
      expect(await firstOf(asked, ended)).toBe('asked');
    },
  },
  '[SIGN2] no look at the passkey of a grant that is stored later (sqlite.test.ts)': {
    ...{ marker: 'grant-signer', replacement: '' },
    async attack(subject) {
      const { key, tab, session, ask } = await enter(subject);
      const prompt = await ask('ask_high');
      const signed = key.signAnswer({ sessionId: session, person: 'owner', answerId: 'a' }, prompt, approve);
      await tab.answer(session, prompt, signed);
      const { grants, passkeys } = subject.store;
      const [[grant], [passkey]] = await Promise.all([grants.list(Date.now()), passkeys.list()]);
      if (!grant || !passkey) throw new Error('no grant that a passkey signed');
      await passkeys.revoke(passkey.id);
      const stored = grants.put(grant, undefined, { credential: {}, now: Date.now(), passkey: passkey.credentialId });
      expect(
        await stored.then(
          () => 'accepted',
          ({ code }) => code,
        ),
      ).toBe('passkey_gone');
    },
  },
  '[SIGN2] an answer at a lower risk than what is asked after a restart (raised-risk.test.ts)': {
    ...{ marker: 'raised-risk', replacement: '', attack: (subject) => raiseRisk('ask_twice', subject) },
  },
  '[SIGN2] a consent of the gate at a lower risk than what is asked after a restart (raised-risk.test.ts)': {
    ...{
      marker: 'handed-on-risk',
      replacement: '  return record !== undefined;',
      attack: (subject) => raiseRisk('ask_gated', subject),
    },
  },
};

const subjectFile = new URL('step-up-subject.ts', import.meta.url);
let sound: Bundle;
beforeAll(async () => {
  sound = await Bundle.make(subjectFile);
});
afterAll(() => sound.remove());

async function run(program: Bundle, attack: (subject: Subject) => Promise<void>): Promise<void> {
  const { start: startIt } = (await import(program.file)) as { start: typeof start };
  const subject = await startIt();
  await attack(subject).finally(() => subject.server.close());
}

test.each(Object.entries(mutants))('%s is found out', async (_, { marker, replacement, attack }) => {
  await run(sound, attack);
  const faulty = await Bundle.make(subjectFile, { marker, replacement });
  await expect(run(faulty, attack).finally(() => faulty.remove())).rejects.toThrow(/accepted/);
});
