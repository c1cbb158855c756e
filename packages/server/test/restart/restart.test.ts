import { beforeEach, expect, test } from 'vitest';
import { effect, Journey, pluginPath, readEffects, release } from '../support/journey.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { startServer } from '../support/use-server.ts';
import { startUntil } from './innocents.ts';

// Every test kills its server, so each has its own.
let server: ServerProcess;
let journey: Journey;
beforeEach(async () => {
  server = await startServer({ plugins: [pluginPath('restart.mjs')] });
  journey = await Journey.begin(server);
});

/** Kills the server, restarts it and opens the same session. */
async function crash(options: Parameters<ServerProcess['restart']>[0] = {}): Promise<void> {
  await server.restart(options);
  journey = await journey.join(server);
}

const recovery = async () =>
  (await journey.event('interaction_request', ({ payload }) => payload.source.kind === 'recovery')).payload;

test('[DUR1, DUR2] a wizard resumes where it was: after the second answer the third question is open under its id', async () => {
  const first = await journey.ask('wizard');
  await journey.submit(first, { first: '1' });
  const second = (await journey.event('interaction_request', ({ payload }) => payload.slot === '2')).payload;
  await journey.submit(second, { second: 'again' });
  const retry = await journey.next(second);
  await journey.submit(retry, { second: '2' });
  const third = (await journey.event('interaction_request', ({ payload }) => payload.slot === '3')).payload;
  await crash();

  const [open] = (await journey.tab.waitFor('welcome')).open;
  expect(open?.interaction).toEqual(third);
  await crash();
  expect(await journey.submit(third, { third: '3' })).toMatchObject({ ok: true });
  expect(await journey.outcome()).toEqual({ result: ['1', '2', '3'] });
  expect(journey.events('interaction_request')).toHaveLength(4);
  const heard = (await readEffects(server, 'wizard')).filter((line) => line.startsWith('heard'));
  expect(heard).toEqual(['heard first', 'heard second', 'heard second', 'heard third']);
  expect(await journey.words()).toBe('wizard returned: ["1","2","3"]');
});

test('[DUR2, DUR5] an answered branch is not asked again; the others are answered later', async () => {
  await journey.call('branches');
  const [a, b, c] = await journey.prompts(3);
  await journey.submit(b!, { b: 'B' });
  await effect(server, 'branches', 'heard b');
  // Writes are queued: once a later event is there, the outcome's record is stored.
  await journey.tab.say(journey.session, 'queued');
  await crash();

  expect((await journey.tab.waitFor('welcome')).open.map(({ interaction }) => interaction.slot).sort()).toEqual([
    'a',
    'c',
  ]);
  expect(await journey.submit(b!, { b: 'other' })).toMatchObject({ error: { code: 'already_answered' } });
  await journey.submit(c!, { c: 'C' });
  await journey.submit(a!, { a: 'A' });
  expect(await journey.outcome(a)).toEqual({ result: ['A', 'B', 'C'] });
  expect(journey.events('interaction_request')).toHaveLength(3);
  expect((await readEffects(server, 'branches')).toSorted()).toEqual(['heard a', 'heard b', 'heard c']);
});

test('[FRM6, INT5] after a restart the winning answerId gets its reply again, and a conflict with other content', async () => {
  const first = await journey.ask('wizard');
  const answer = { action: 'submit', input: { first: '1' }, answerId: 'mine' };
  const reply = await journey.answer(first, answer);
  await journey.event('interaction_request', ({ payload }) => payload.slot === '2');
  await crash();
  expect(await journey.answer(first, answer)).toEqual({ ...reply, requestId: expect.any(String) });
  expect(await journey.answer(first, { ...answer, input: { first: '2' } })).toMatchObject({
    error: { code: 'idempotency_conflict' },
  });
  expect(await journey.answer(first, { ...answer, answerId: 'other' })).toMatchObject({
    error: { code: 'already_answered' },
  });
});

test('[INT10] a deadline that passed while the server was down is extended by 30 s, and an answer is accepted', async () => {
  const prompt = await journey.ask('deadline');
  await server.kill();
  await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(prompt.expiresAt!));
  await server.restart();
  journey = await journey.join(server);
  const snapshot = await journey.tab.waitFor('snapshot');
  expect(snapshot.head.prompts).toMatchObject([{ state: 'open', request: { interactionId: prompt.interactionId } }]);
  expect(await journey.submit(prompt, { quick: 'still' })).toMatchObject({ ok: true });
  expect((await journey.outcome()).result).toMatchObject({ input: { quick: 'still' } });
  expect(await readEffects(server, 'deadline')).toEqual([]);
});

test.each([
  ['approve', { result: 'worked' }, 2],
  ['deny', { error: { code: 'interrupted' } }, 1],
  ['cancel', { error: { code: 'interrupted' } }, 1],
])('[DUR4] an interrupted call asks whether to run again, and does so on %s', async (action, outcome, runs) => {
  await journey.call('working');
  await effect(server, 'working', 'ran');
  await crash();
  const prompt = await recovery();
  expect(prompt).toMatchObject({
    interactionType: 'approval',
    prompt: 'The server stopped while working was running: run again / treat as failed',
    source: { kind: 'recovery' },
  });
  expect(prompt.expiresAt).toBeUndefined();
  await release(server, 'worked');
  await journey.answer(prompt, { action });
  expect(await journey.outcome()).toMatchObject(outcome);
  expect(await readEffects(server, 'working')).toHaveLength(runs);
  expect((await journey.event('turn_end')).payload.status).toBe('completed');
});

test.each([
  ['reading', { result: 'worked' }, 2],
  ['retrying', { result: 'worked' }, 2],
  ['failing', { error: { code: 'interrupted' } }, 1],
])('[DUR4] %s recovers without asking', async (tool, outcome, runs) => {
  await journey.call(tool);
  await effect(server, tool, 'ran');
  await server.kill();
  await release(server, 'worked');
  await server.restart();
  journey = await journey.join(server);
  expect(await journey.outcome()).toMatchObject(outcome);
  expect(journey.events('interaction_request')).toEqual([]);
  expect(await readEffects(server, tool)).toHaveLength(runs);
});

test('[DUR4] a hook interrupted while handling an answer runs again only with approval, and with the same answer', async () => {
  const asked = await journey.ask('acting');
  await journey.submit(asked, { what: 'pay' });
  await effect(server, 'acting', 'on pay');
  await crash();
  const prompt = await recovery();
  await release(server, 'acted');
  await journey.answer(prompt, { action: 'approve' });
  expect(await journey.outcome()).toEqual({ result: 'did pay' });
  expect(await readEffects(server, 'acting')).toEqual(['on pay', 'on pay']);
  expect(journey.settlements(asked)).toHaveLength(1);
});

test('[DUR6] the prompts of a tool that was removed or is not durable close as orphaned; later answers are refused', async () => {
  const prompt = await journey.ask('fragile');
  await crash();
  expect((await journey.outcome()).error).toMatchObject({ code: 'orphaned' });
  expect(journey.settlements(prompt)).toMatchObject([{ payload: { reason: 'orphaned' } }]);
  expect(await journey.submit(prompt, { now: 'x' })).toMatchObject({
    error: { code: 'closed', details: { reason: 'orphaned' } },
  });

  const wizard = await journey.ask('wizard');
  await crash({ plugins: [] });
  expect((await journey.outcome(wizard)).error).toMatchObject({ code: 'orphaned' });
  expect(journey.settlements(wizard)).toMatchObject([{ payload: { reason: 'orphaned' } }]);
  expect(await journey.words()).toContain('"code":"orphaned"');
});

test('[DUR6] an interrupted call is abandoned when it ended the server three times alone', async () => {
  await journey.call('crashing');
  await effect(server, 'crashing', 'ran');
  await server.kill();
  await release(server, 'armed');
  const outcome = async () => (await journey.join(server)).outcome();
  const { deaths, came } = await startUntil(server, outcome);
  expect(came.error).toMatchObject({ code: 'interrupted', message: expect.stringContaining('"crashing"') });
  expect(deaths).toBe(4); // the first start was an ordinary one
  expect(await readEffects(server, 'crashing')).toHaveLength(5);
  journey = await journey.join(server);
  expect((await journey.event('turn_end')).payload.status).toBe('completed');
});

test('[INT11, DUR1] a resumed turn can be stopped', async () => {
  const prompt = await journey.ask('wizard');
  await crash();
  await journey.tab.ask({ type: 'cancel_turn', sessionId: journey.session });
  expect((await journey.outcome()).error).toMatchObject({ code: 'cancelled' });
  expect(journey.settlements(prompt)).toMatchObject([{ payload: { reason: 'cancelled' } }]);
  expect((await journey.event('turn_end')).payload.status).toBe('cancelled');
});

test('[RPL3, DUR1] after a restart the inbox lists what is open in the order in which it was asked', async () => {
  const sessions = [journey.session, await journey.tab.createSession(), await journey.tab.createSession()];
  for (const session of sessions) {
    await journey.tab.follow(session);
    await journey.tab.say(session, '/call ask_user {"question":"Which?"}');
    await journey.tab.prompt(session);
  }
  await server.restart();
  const { open } = await (await server.open()).waitFor('welcome');
  expect(open.map(({ sessionId }) => sessionId)).toEqual(sessions);
});
