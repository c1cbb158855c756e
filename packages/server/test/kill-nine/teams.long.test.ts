import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { InteractionRequest, ServerFrame } from '@parleyhq/core';
import { makeToken, openSqliteStore } from '@parleyhq/server';
import { addToken } from '@parleyhq/server/testing';
import { expect, onTestFinished, test } from 'vitest';
import { Tab } from '../support/tab.ts';
import { type LoggedEvent, readSession } from './checked-log.ts';
import { type Kill, phases } from './kill.ts';
import { Victims } from './victims.ts';

type Person = 'Ann' | 'Bob';
type Prompt = InteractionRequest;

/** A desk of several people, whose server is killed. */
class Desk {
  readonly #owner = makeToken();
  readonly #victims = new Victims({ token: this.#owner });
  readonly #tokens = new Map<Person, string>();
  #session = '';

  async start(): Promise<void> {
    const store = openSqliteStore(join(this.#victims.dataDir, 'parley.db'));
    for (const name of ['Ann', 'Bob'] as const) {
      this.#tokens.set(name, (await addToken({ store }, { role: 'responder', name })).token);
    }
    await store.close();
    await this.#victims.start();
    await this.#victims.open();
  }

  remove(): Promise<void> {
    return this.#victims.remove();
  }

  /** Opens a tab of the owner, or of one of the others, that follows the session. */
  async open(who?: Person): Promise<Tab> {
    const token = who ? this.#tokens.get(who) : this.#owner;
    const tab = await Tab.open(`ws://127.0.0.1:${this.#victims.port}/ws`, { hello: { token } });
    if (this.#session) await tab.follow(this.#session);
    return tab;
  }

  /** Asks through a call of the owner. */
  async ask(call: string): Promise<Prompt> {
    const owner = await this.open();
    this.#session = await owner.createSession();
    await owner.follow(this.#session);
    await owner.say(this.#session, `/call ${call}`);
    return owner.prompt(this.#session);
  }

  answer(tab: Tab, prompt: Prompt, answer: object) {
    return tab.answer(this.#session, prompt, { digest: prompt.digest, ...answer });
  }

  /** Sends an answer without waiting for its reply, because the server dies. */
  async answerAndDie(tab: Tab, { toolCallId: callId, interactionId, digest }: Prompt, kill: Kill, answer: object) {
    await this.arm(kill);
    const ids = { sessionId: this.#session, callId, interactionId, digest };
    tab.send({ type: 'tool_interaction_response', requestId: 'r', ...ids, ...answer });
    await this.die();
  }

  async arm(kill: Kill): Promise<void> {
    await (await this.#victims.open()).arm(kill);
  }

  /** Waits until the server has killed itself and the next one has started. */
  async die(): Promise<void> {
    expect(await (await this.#victims.open()).ended).toBe('SIGKILL');
    await this.#victims.open();
  }

  /** Kills it from outside, and runs `meanwhile` before the next one starts. */
  async kill(meanwhile: () => Promise<void> = async () => undefined): Promise<void> {
    await (await this.#victims.open()).kill();
    await meanwhile();
    await this.#victims.open();
  }

  get session(): string {
    return this.#session;
  }

  /** Returns the stored events of these types. */
  log(...types: string[]): LoggedEvent[] {
    const { log } = readSession(this.#victims.dataDir, this.#session);
    return types.length > 0 ? log.filter(({ type }) => types.includes(type)) : [...log];
  }
}

async function openDesk(): Promise<Desk> {
  const desk = new Desk();
  onTestFinished(() => desk.remove());
  await desk.start();
  return desk;
}

const yes = { action: 'approve' };
const settlements = ['interaction_response', 'interaction_closed'];

test.each(phases)(
  '[TEAM3, DUR1, FRM6] if the server is killed %s of a vote, it counts once, its repeat gets the stored reply, and one more settles',
  async (phase) => {
    const desk = await openDesk();
    const prompt = await desk.ask('release {}');
    const vote = { ...yes, answerId: 'of ann' };
    await desk.answerAndDie(await desk.open('Ann'), prompt, { event: 'interaction_vote', phase }, vote);

    const ann = await desk.open('Ann');
    const repeated = await desk.answer(ann, prompt, vote);
    expect(repeated).toMatchObject({ ok: true, result: { vote: true, votes: { approve: 1, deny: 0 } } });
    expect(await desk.answer(ann, prompt, vote)).toMatchObject({ result: repeated.ok && repeated.result });
    expect(desk.log('interaction_vote')).toHaveLength(1);
    expect(desk.log(...settlements)).toEqual([]); // nothing is settled by one

    const bob = await desk.open('Bob');
    expect(await desk.answer(bob, prompt, { ...yes, answerId: 'of bob' })).toMatchObject({ ok: true });
    const { payload } = await bob.event(desk.session, 'tool_result');
    expect(payload.result).toMatchObject({ approved: true, scope: 'once' });
    expect(desk.log(...settlements)).toMatchObject([{ payload: { votes: { approve: 2, deny: 0 } } }]);
  },
);

test.each(phases)(
  '[TEAM3, DUR1, INT3] if the server is killed %s of the deciding vote, there is one settlement, by two, and its repeat gets the stored reply',
  async (phase) => {
    const desk = await openDesk();
    const prompt = await desk.ask('release {}');
    expect(await desk.answer(await desk.open('Ann'), prompt, yes)).toMatchObject({ result: { vote: true } });
    const vote = { ...yes, answerId: 'of bob' };
    await desk.answerAndDie(await desk.open('Bob'), prompt, { event: 'interaction_response', phase }, vote);

    const bob = await desk.open('Bob');
    const repeated = await desk.answer(bob, prompt, vote);
    expect(repeated).toMatchObject({ ok: true, result: { seq: expect.any(Number) } });
    expect(repeated).not.toHaveProperty('result.vote');
    expect(await desk.answer(bob, prompt, vote)).toMatchObject({ result: repeated.ok && repeated.result });
    const { payload } = await bob.event(desk.session, 'tool_result');
    expect(payload.result).toMatchObject({ approved: true });
    expect(desk.log(...settlements)).toMatchObject([
      { payload: { answerId: 'of bob', by: { name: 'Bob' }, votes: { approve: 2, deny: 0 } } },
    ]);
    expect(desk.log('interaction_vote')).toMatchObject([{ payload: { by: { name: 'Ann' } } }]);
  },
);

const word = { action: 'submit', input: { word: 'tea' } };
const step = { event: 'interaction_escalated' } as const;

test.each(phases)(
  '[TEAM5, DUR1] if the server is killed %s of an escalation, its step is taken once, and answers nothing',
  async (phase) => {
    const desk = await openDesk();
    await desk.arm({ ...step, phase });
    const prompt = await desk.ask('widen {"afterMs": 300}');
    await desk.die();
    await expectOneStep(desk, prompt);
  },
);

test('[TEAM5, DUR1] a step that fell due while nothing ran is taken once after the start', async () => {
  const desk = await openDesk();
  const asked = Date.now();
  const prompt = await desk.ask('widen {"afterMs": 1500}');
  await desk.kill(() => sleep(Math.max(asked + 2000 - Date.now(), 0))); // it falls due while nothing runs
  await expectOneStep(desk, prompt);
});

async function expectOneStep(desk: Desk, prompt: Prompt): Promise<void> {
  const bob = await desk.open('Bob');
  await bob.event(desk.session, 'interaction_escalated');
  await desk.kill();
  const again = await desk.open('Bob');
  expect(desk.log('interaction_escalated')).toMatchObject([
    { payload: { step: 1, audience: { principals: ['Bob'] } } },
  ]);
  expect(desk.log(...settlements)).toEqual([]);
  expect(await desk.answer(again, prompt, word)).toMatchObject({ ok: true });
  await again.event(desk.session, 'tool_result');
  expect(desk.log(...settlements)).toHaveLength(1);
}

test('[TEAM4, DUR1] a kill ends the claim on a prompt, and the prompt waits as before', async () => {
  const desk = await openDesk();
  const prompt = await desk.ask('release {}');
  const [ann, bob] = [await desk.open('Ann'), await desk.open('Bob')];
  const frame = { type: 'claim_interaction', sessionId: desk.session, interactionId: prompt.interactionId } as const;
  const isClaimed = ({ type }: ServerFrame) => type === 'claimed';
  ann.send({ ...frame, requestId: 'r' });
  await bob.until(isClaimed);
  const length = desk.log().length;
  await desk.kill();
  const [annAgain, bobAgain] = [await desk.open('Ann'), await desk.open('Bob')];
  expect(desk.log('interaction_request', 'interaction_vote', ...settlements)).toHaveLength(1);
  expect(
    desk
      .log()
      .slice(length)
      .some(({ type }) => /claim/.test(type)),
  ).toBe(false);
  expect(bobAgain.frames.some(isClaimed)).toBe(false);
  await annAgain.ask(frame);
  expect(await bobAgain.until(isClaimed)).toMatchObject({ by: { name: 'Ann' } });
  for (const tab of [bobAgain, annAgain]) expect(await desk.answer(tab, prompt, yes)).toMatchObject({ ok: true });
});
