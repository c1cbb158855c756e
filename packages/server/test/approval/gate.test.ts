import { expect, test } from 'vitest';
import { Journey, loadPlugin } from '../support/journey.ts';
import { startLocalServer, useLocalServer } from '../support/local-server.ts';

const server = useLocalServer({ plugins: [await loadPlugin('approvals.mjs')] });

/** How often the guarded tools have run so far. */
async function countRuns(): Promise<number> {
  const { result } = await (await Journey.begin(server)).run('ran');
  return result as number;
}

test("[APR3, INT2] approval: 'always' asks first, under .0, and shows exactly what would run", async () => {
  const journey = await Journey.begin(server);
  const before = await countRuns();
  const prompt = await journey.ask('guarded', { path: '/tmp/x', deep: { n: 1 } });
  expect(prompt).toMatchObject({
    interactionId: `${prompt.toolCallId}.0`,
    interactionType: 'approval',
    toolName: 'guarded',
    source: { kind: 'policy' },
    subject: { kind: 'json' },
    attempt: 1,
  });
  expect(JSON.parse(prompt.subject!.text)).toEqual({ path: '/tmp/x', deep: { n: 1 } });
  expect(await countRuns()).toBe(before);
  await journey.answer(prompt, { action: 'approve' });
  expect((await journey.outcome()).result).toEqual({ ran: before + 1 });
});

test.each([
  ['deny', { action: 'deny', reason: 'Not today.' }, { code: 'denied', message: 'Not today.' }],
  ['deny without a reason', { action: 'deny' }, { code: 'denied', message: expect.stringMatching(/./) }],
  ['cancel', { action: 'cancel' }, { code: 'cancelled' }],
])('[APR3, APR6] after %s nothing runs, and the model reads why', async (_, answer, error) => {
  const journey = await Journey.begin(server);
  const before = await countRuns();
  const prompt = await journey.ask('guarded');
  await journey.answer(prompt, answer);
  expect((await journey.outcome()).error).toMatchObject(error);
  expect(await countRuns()).toBe(before);
});

test("[APR3, INT2] a handler's own prompts begin at .1 behind the gate", async () => {
  const journey = await Journey.begin(server);
  const gate = await journey.ask('guarded_and_asking');
  await journey.answer(gate, { action: 'approve' });
  const own = (await journey.event('interaction_request', ({ payload }) => payload.source.kind === 'tool')).payload;
  expect(own.interactionId).toBe(`${gate.toolCallId}.1`);
  await journey.answer(own, { action: 'deny' });
  expect((await journey.outcome()).result).toMatchObject({ action: 'deny' });
});

test('[APR3] a predicate decides whether to ask', async () => {
  const journey = await Journey.begin(server);
  expect((await journey.run('sometimes', { careful: false })).result).toMatchObject({ ran: expect.any(Number) });
  expect(journey.events('interaction_request')).toEqual([]);
  const { seq } = await journey.call('sometimes', { careful: true });
  const prompt = await journey.tab.prompt(journey.session, seq);
  expect(prompt.interactionId).toBe(`${prompt.toolCallId}.0`);
  await journey.answer(prompt, { action: 'cancel' });
});

test("[PLG4, APR3] waiting for approval does not count against the tool's timeout", async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('guarded_quick');
  // Another call starts and ends meanwhile.
  const other = await Journey.begin(server);
  const question = await other.ask('guarded_and_asking');
  await other.answer(question, { action: 'cancel' });
  await other.event('turn_end');
  await journey.answer(prompt, { action: 'approve' });
  expect((await journey.outcome()).result).toMatchObject({ ran: expect.any(Number) });
});

test('[APR3, INT14] the call is refused if nobody is there', async () => {
  const own = await startLocalServer({ plugins: [await loadPlugin('approvals.mjs')] });
  const journey = await Journey.begin(own, { enabled: false });
  expect((await journey.run('guarded')).error).toMatchObject({ code: 'interaction_unavailable' });
});
