import { beforeEach, expect, test } from 'vitest';
import { Journey, pluginPath, readEffects, release } from '../support/journey.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { startServer } from '../support/use-server.ts';

let server: ServerProcess;
let journey: Journey;
beforeEach(async () => {
  server = await startServer({ plugins: [pluginPath('restart.mjs')] });
  journey = await Journey.begin(server);
});

/** Kills the server while the tool works, and lets the tool finish in the next process. */
async function crash(): Promise<void> {
  await server.kill();
  await release(server, 'worked');
  await server.restart();
  journey = await journey.join(server);
}

test('[DUR1, INT7] without a hook, the tool gets an answer acknowledged before kill -9', async () => {
  const prompt = await journey.ask('plainRetrying');
  expect(await journey.submit(prompt, { what: 'tea' })).toMatchObject({ ok: true });
  await crash();
  expect(await journey.outcome()).toEqual({ result: 'tea' });
  expect(journey.events('interaction_request')).toHaveLength(1);
  expect(journey.settlements(prompt)).toHaveLength(1);
});

test('[DUR4, INT7] a tool that may have acted on the answer asks before it runs again, and gets the same answer', async () => {
  const prompt = await journey.ask('plain');
  expect(await journey.submit(prompt, { what: 'tea' })).toMatchObject({ ok: true });
  await crash();
  const isRecovery = ({ payload }: { payload: { source: { kind: string } } }) => payload.source.kind === 'recovery';
  const recovery = (await journey.event('interaction_request', isRecovery)).payload;
  await journey.answer(recovery, { action: 'approve' });
  expect(await journey.outcome()).toEqual({ result: 'tea' });
  expect((await readEffects(server, 'plain')).at(-1)).toBe('heard tea');
  expect(journey.events('interaction_request')).toHaveLength(2);
});

test('[DUR2, INT7] a call that only waits gets the answer without asking, while another question is still open', async () => {
  await journey.call('plainPair');
  const [a, b] = await journey.prompts(2);
  expect(await journey.submit(a!, { a: 'tea' })).toMatchObject({ ok: true });
  await crash();
  expect(await journey.submit(b!, { b: 'milk' })).toMatchObject({ ok: true });
  const times = [a!, b!].map((prompt) => journey.settlements(prompt)[0]?.timestamp);
  expect((await journey.outcome()).result).toMatchObject([
    { input: { a: 'tea' }, at: times[0] },
    { input: { b: 'milk' }, at: times[1] },
  ]);
  expect(journey.events('interaction_request')).toHaveLength(2);
});
