import { beforeEach, expect, test } from 'vitest';
import { Journey, pluginPath, release } from '../support/journey.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { startServer } from '../support/use-server.ts';

let server: ServerProcess;
let journey: Journey;
beforeEach(async () => {
  server = await startServer({ plugins: [pluginPath('restart-changed.mjs')] });
  journey = await Journey.begin(server);
});

/** Kills the server, updates the plugin and restarts. */
async function update(): Promise<void> {
  await server.kill();
  await release(server, 'changed');
  await server.restart();
  journey = await journey.join(server);
}

const prompted = async (words: string) =>
  (await journey.event('interaction_request', ({ payload }) => payload.prompt === words)).payload;

test('[DUR5, INT5] an open question that an updated plugin changed is superseded, and its answer is stale', async () => {
  const old = await journey.ask('order');
  await update();
  const current = await prompted('How many dozens?');
  expect(current).toMatchObject({ slot: old.slot, attempt: 1 });
  expect(current.interactionId).not.toBe(old.interactionId);
  expect(journey.settlements(old)).toMatchObject([
    { type: 'interaction_closed', payload: { reason: 'superseded', replacedBy: current.interactionId } },
  ]);
  expect(await journey.submit(old, { many: '12' })).toMatchObject({
    error: { code: 'stale', details: { current: current.interactionId } },
  });
  await journey.submit(current, { many: '1' });
  await journey.submit(await prompted('Where to?'), { place: 'Oslo' });
  expect(await journey.outcome()).toEqual({ result: [true, '1', 'Oslo'] });
});

test('[DUR5] an answer is never used for another question: a changed question is asked again', async () => {
  await journey.submit(await journey.ask('order'), { many: '12' });
  const place = await prompted('Where to?');
  const many = await prompted('How many?');
  await update();
  const anew = await prompted('How many dozens?');
  expect(anew).toMatchObject({ setsAside: many.interactionId, error: expect.stringContaining('does not count') });
  expect(many).not.toHaveProperty('setsAside');
  await journey.submit(anew, { many: '1' });
  expect(journey.settlements(place)).toEqual([]);
  expect(await journey.submit(place, { place: 'Oslo' })).toMatchObject({ ok: true });
  expect(await journey.outcome()).toEqual({ result: [true, '1', 'Oslo'] });
});
