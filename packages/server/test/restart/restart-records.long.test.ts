import { beforeEach, expect, test } from 'vitest';
import { readSession } from '../kill-nine/checked-log.ts';
import { effect, Journey, pluginPath, readEffects, release } from '../support/journey.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { startServer } from '../support/use-server.ts';
import { carefulWords, startUntil } from './innocents.ts';

// Every test kills its server, so each has its own.
let server: ServerProcess;
let journey: Journey;
beforeEach(async () => {
  server = await startServer({ plugins: [pluginPath('restart-records.mjs')] });
  journey = await Journey.begin(server);
});

async function crash(): Promise<void> {
  await server.restart();
  journey = await journey.join(server);
}

const promptIn = async (slot: string) =>
  (await journey.event('interaction_request', ({ payload }) => payload.slot === slot)).payload;

test('[DUR6] a call that only waits is never abandoned, however often it ends the server: it sleeps until it is answered', async () => {
  const prompt = await journey.ask('doomed');
  await server.kill();
  await release(server, 'armed');
  for (let round = 1; round <= 3; round += 1) {
    await startUntil(server, () => server.says(carefulWords));
    expect((await server.open().then((tab) => tab.waitFor('welcome'))).open).toMatchObject([{ interaction: prompt }]);
  }
  expect(await readEffects(server, 'doomed')).toHaveLength(2);
  journey = await journey.join(server);
  const ended = server.ended();
  await journey.submit(prompt, { what: 'x' });
  await ended;
  const { came } = await startUntil(server, async () => (await journey.join(server)).outcome());
  expect(came).toMatchObject({ error: { code: 'interrupted' } });
  expect(await readEffects(server, 'doomed')).toHaveLength(5);
});

test('[DUR6] starts that other calls end do not count against a call', async () => {
  const prompt = await journey.ask('doomed');
  for (let start = 1; start <= 5; start += 1) await crash();
  expect(await journey.submit(prompt, { what: 'x' })).toMatchObject({ ok: true });
  expect((await journey.outcome()).result).toMatchObject({ input: { what: 'x' } });
});

test('[DUR4, INT17] a step whose value contained a secret is done but not recorded: it runs again only with approval', async () => {
  await journey.submit(await journey.ask('receipt'), { password: 'hunter2' });
  await promptIn('2');
  await crash();
  const recovery = await promptIn('$recovery');
  expect(await readEffects(server, 'receipt')).toEqual(['paid']);
  await journey.answer(recovery, { action: 'deny' });
  expect(await journey.outcome()).toMatchObject({ error: { code: 'interrupted' } });
  expect(await readEffects(server, 'receipt')).toEqual(['paid']);
});

test("[DUR3] prompts of a hook do not shift the numbers of the handler's", async () => {
  await journey.submit(await journey.ask('numbered'), { first: 'x' });
  const second = await promptIn('2');
  await crash();
  expect(await journey.submit(second, { second: 'y' })).toMatchObject({ ok: true });
  expect((await journey.outcome()).result).toMatchObject({ own: second.prompt });
});

test.each([false, true])(
  '[DUR2, INT12] a hook that failed fails in the same way after a restart (timeout: %s)',
  async (late) => {
    const first = await journey.ask('forgiving', { late });
    if (!late) await journey.submit(first, { first: 'x' });
    const second = await promptIn('2');
    expect(second.prompt).toBe('after mine');
    await crash();
    expect(await journey.submit(second, { second: 'y' })).toMatchObject({ ok: true });
    expect(await journey.outcome()).toEqual({ result: 'mine' });
    expect(journey.events('interaction_request')).toHaveLength(2);
  },
);

test("[DUR2] a hook's value arrives as JSON carries it, with or without a restart", async () => {
  await journey.submit(await journey.ask('dated'), { first: 'x' });
  expect(await journey.outcome()).toEqual({ result: 'string' });
});

test('[DUR5] a key names only one question of a call', async () => {
  const one = await journey.ask('asking', { demand: { key: 'mine' } });
  expect(one.slot).toBe('mine');
  const again = await Journey.begin(server);
  await again.submit(await again.ask('echoing'), { one: 'x' });
  expect(again.events('interaction_request')).toHaveLength(1);
  expect((await again.outcome()).error).toBeUndefined();
});

test('[DUR3] a hook that ends after its call leaves no record', async () => {
  await journey.submit(await journey.ask('slow'), { what: 'x' });
  await effect(server, 'slow', 'heard');
  await journey.tab.ask({ type: 'cancel_turn', sessionId: journey.session });
  await release(server, 'heard');
  await effect(server, 'slow', 'done');
  await journey.ask('dated'); // stored after everything that the hook left
  await server.kill();
  expect(readSession(server.dataDir, journey.session).records).toEqual([]);
});

test('[INT12] a tool with a timeout of a month has hooks with a timeout', async () => {
  await journey.submit(await journey.ask('patient'), { what: 'x' });
  expect(await journey.outcome()).toEqual({ result: 1 });
});

test('[INT10] a timeout that no timer can hold is refused with a message', async () => {
  expect(await journey.run('asking', { demand: { timeoutMs: 1e300 } })).toMatchObject({
    error: { code: 'tool_error', message: expect.stringContaining('timeoutMs') },
  });
});

test('[SEC5] a subject that is too long to read is refused, never truncated and approved', async () => {
  const demand = { type: 'approval', inputSchema: undefined, subject: { kind: 'command', text: 'x'.repeat(65_537) } };
  expect(await journey.run('asking', { demand })).toMatchObject({
    error: { code: 'tool_error', message: expect.stringContaining('subject.text') },
  });
});

test('[SEC6] an error that is too long is truncated', async () => {
  const { error } = await journey.run('wordy');
  expect(error?.code).toHaveLength(100);
  expect(error?.message.length).toBeLessThan(10_000);
});
