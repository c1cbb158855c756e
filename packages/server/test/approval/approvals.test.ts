import { expect, test } from 'vitest';
import { Journey, pluginPath } from '../support/journey.ts';
import { startServer, useServer } from '../support/use-server.ts';

const plugins = [pluginPath('approvals.mjs'), pluginPath('other-approvals.mjs')];
const server = useServer({ plugins });

/** The results of one call's operations on grants, in order. */
async function act(journey: Journey, acts: object[], tool = 'grants'): Promise<unknown> {
  const { result, error } = await journey.run(tool, { acts });
  return result ?? error;
}

test('[APR1] without a grant nothing is allowed; a session grant covers later calls of that session, and no other', async () => {
  const [one, two] = [await Journey.begin(server), await Journey.begin(server)];
  expect(await act(one, [{ get: 'k' }])).toEqual([null]);
  expect(await act(one, [{ set: ['k', 'session'] }, { get: 'k' }])).toEqual(['set', 'session']);
  expect(await act(one, [{ get: 'k' }, { get: 'k' }])).toEqual(['session', 'session']);
  expect(await act(two, [{ get: 'k' }])).toEqual([null]);
  expect(await act(two, [{ get: 'k', session: one.session }])).toEqual(['session']);
});

test('[APR1] an always grant covers every session', async () => {
  const [one, two] = [await Journey.begin(server), await Journey.begin(server)];
  await act(one, [{ set: ['for all', 'always'] }]);
  expect(await act(two, [{ get: 'for all' }])).toEqual(['always']);
});

test('[APR1] a once grant belongs to the first call that takes it, however often that call asks', async () => {
  const journey = await Journey.begin(server);
  await act(journey, [{ set: ['o', 'once'] }]);
  expect(await act(journey, [{ get: 'o' }, { get: 'o' }])).toEqual(['once', 'once']);
  expect(await act(journey, [{ get: 'o' }])).toEqual([null]);
});

test('[APR1] two calls at once: one of them takes the once grant', async () => {
  const journey = await Journey.begin(server);
  await act(journey, [{ set: ['race', 'once'] }]);
  const { seq } = await journey.event('turn_end');
  const line = `/call grants ${JSON.stringify({ acts: [{ get: 'race' }] })}`;
  await journey.tab.say(journey.session, Array(5).fill(line).join('\n'));
  const words = await journey.words(seq);
  expect(words.split('\n').filter((said) => said.endsWith('["once"]'))).toHaveLength(1);
});

test("[APR1] clearSession removes the session's grants, and no always grant or other session's", async () => {
  const [one, two] = [await Journey.begin(server), await Journey.begin(server)];
  for (const journey of [one, two]) await act(journey, [{ set: ['c', 'session'] }, { set: ['c1', 'once'] }]);
  await act(one, [{ set: ['kept', 'always'] }]);
  expect(await act(one, [{ clear: true }, { get: 'c' }, { get: 'c1' }, { get: 'kept' }])).toEqual([
    'cleared',
    null,
    null,
    'always',
  ]);
  expect(await act(two, [{ get: 'c' }, { clear: true, session: one.session }, { get: 'c' }])).toEqual([
    'session',
    'cleared',
    'session',
  ]);
});

test('[APR1] keys never collide: strings, tuples and look-alikes', async () => {
  const journey = await Journey.begin(server);
  const keys = ['a', ['a'], '["a"]', ['a', 'b'], ['a,b'], 'a,b', ['a', ['b']], [{ a: 1, b: 2 }], ['1'], [1]];
  for (const [n, key] of keys.entries()) {
    await act(journey, [{ set: [key, 'session'] }]);
    const seen = await act(
      journey,
      keys.map((other) => ({ get: other })),
    );
    expect(seen).toEqual(keys.map((_, m) => (m <= n ? 'session' : null)));
  }
  expect(await act(journey, [{ get: [{ b: 2, a: 1 }] }])).toEqual(['session']);
});

test("[APR1] no plugin sees another's grants", async () => {
  const journey = await Journey.begin(server);
  await act(journey, [{ set: ['mine', 'always'] }]);
  expect(await act(journey, [{ get: 'mine' }], 'other_grants')).toEqual([null]);
  await act(journey, [{ set: ['mine', 'session'] }], 'other_grants');
  await act(journey, [{ clear: true }]);
  expect(await act(journey, [{ get: 'mine' }], 'other_grants')).toEqual(['session']);
});

test('[APR1] an unknown scope is refused', async () => {
  const journey = await Journey.begin(server);
  expect(await act(journey, [{ set: ['k', 'forever'] }])).toMatchObject({ code: 'tool_error' });
});

test.each([
  ['a text that is none', 7],
  ["an object, which are Parley's own", { tool: 'guarded', args: {} }],
  ['nothing', null],
])('[APR1] a key is a string or a list of JSON values: %s is refused', async (_, key) => {
  const journey = await Journey.begin(server);
  for (const acts of [[{ get: key }], [{ set: [key, 'session'] }]]) {
    expect(await act(journey, acts)).toMatchObject({ code: 'tool_error', message: expect.stringContaining('key') });
  }
});

test('[APR1, DUR2] a re-entered call gives no grant twice', async () => {
  const own = await startServer({ plugins });
  const before = await Journey.begin(own);
  const { seq } = await before.call('grants', { acts: [{ set: ['o', 'once'] }, { ask: 'go on?' }] });
  const prompt = await before.tab.prompt(before.session, seq);
  await own.restart();
  const journey = await before.join(own);
  await journey.answer(prompt, { action: 'approve' });
  await journey.event('turn_end');
  expect(await act(journey, [{ get: 'o' }])).toEqual(['once']);
  expect(await act(journey, [{ get: 'o' }])).toEqual([null]);
});

test('[APR1, DUR1] grants survive kill -9, and a re-entered call still has the one it took', async () => {
  const own = await startServer({ plugins });
  const journey = await Journey.begin(own);
  await act(journey, [{ set: ['always', 'always'] }, { set: ['session', 'session'] }, { set: ['o', 'once'] }]);
  const { seq } = await journey.call('grants', { acts: [{ get: 'o' }, { ask: 'go on?' }, { get: 'o' }] });
  const prompt = await journey.tab.prompt(journey.session, seq);
  await own.restart();
  const back = await journey.join(own);
  expect(await back.answer(prompt, { action: 'approve' })).toMatchObject({ ok: true });
  expect(await back.outcome(prompt)).toEqual({ result: ['once', 'once'] });
  const gets = ['always', 'session', 'o'].map((get) => ({ get }));
  expect(await act(back, gets)).toEqual(['always', 'session', null]);
});
