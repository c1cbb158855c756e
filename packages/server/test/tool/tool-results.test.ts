import { expect, test, vi } from 'vitest';
import { Journey, pluginPath } from '../support/journey.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer({ plugins: ['scripted.mjs', 'tools.mjs'].map(pluginPath) });

test.each([
  ['nothing', null],
  ['null', null],
  ['false', false],
  ['zero', 0],
  ['text', 'text'],
  ['nested', { list: [1, { deep: true }] }],
  ['date', { at: '1970-01-01T00:00:00.000Z' }],
])(
  '[PLG6, AGT1] a tool that returns %s has that result, and the agent prints it as compact JSON',
  async (what, result) => {
    const journey = await Journey.begin(server);
    expect(await journey.run('returns', { what })).toEqual({ result });
    expect(await journey.words()).toBe(`returns returned: ${JSON.stringify(result)}`);
  },
);

test.each(['circle', 'bigint', 'nan', 'map', 'function', 'promise', 'huge'])(
  '[PLG6, SEC6] a result that JSON cannot carry is invalid_result: %s',
  async (what) => {
    const journey = await Journey.begin(server);
    expect((await journey.run('returns', { what })).error).toMatchObject({ code: 'invalid_result' });
    expect((await journey.event('turn_end')).payload.status).toBe('completed');
  },
);

test.each([
  ['error', { code: 'tool_error', message: 'plain words' }],
  ['coded', { code: 'no_stock', message: 'None left.' }],
  ['codedError', { code: 'wrong_sort', message: 'Wrong sort.' }],
  ['numberCode', { code: 'tool_error', message: 'No text.' }],
  ['text', { code: 'tool_error', message: 'just a text' }],
  ['nothing', { code: 'tool_error', message: expect.stringMatching(/./) }],
])('[PLG6, AGT1] a thrown %s is a coded tool error, as JSON', async (what, error) => {
  const journey = await Journey.begin(server);
  const outcome = await journey.run('throws', { what });
  expect(outcome).toEqual({ error });
  expect(await journey.words()).toBe(`throws returned: ${JSON.stringify({ error: outcome.error })}`);
});

test('[PLG3] ctx.error makes the error that the model reads', async () => {
  const journey = await Journey.begin(server);
  expect(await journey.run('throws_context_error')).toEqual({ error: { code: 'denied', message: 'Not on a Friday.' } });
});

test('[PLG3] the context names the session, the call, the turn and the tool', async () => {
  const journey = await Journey.begin(server);
  const { result } = await journey.run('who');
  const call = await journey.event('tool_call');
  expect(result).toEqual({
    sessionId: journey.session,
    toolCallId: call.payload.toolCallId,
    turnId: call.turnId,
    toolName: 'who',
    aborted: false,
  });
  expect(call.payload.plugin).toEqual({ name: 'tools', version: '0.0.0' });
});

test('[PLG3] state is kept per session', async () => {
  const [one, two] = [await Journey.begin(server), await Journey.begin(server)];
  expect(await one.run('remember', { key: 'k', value: 1 })).toEqual({ result: { before: null } });
  expect(await one.run('remember', { key: 'k', value: { n: 2 } })).toEqual({ result: { before: 1 } });
  expect(await two.run('remember', { key: 'k', value: 3 })).toEqual({ result: { before: null } });
  expect(await one.run('remember', { key: 'k', value: null })).toEqual({ result: { before: { n: 2 } } });
});

test('[PLG3, EVT4] progress is streamed to the tabs and stored nowhere', async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('progress');
  const streamed = () =>
    journey.tab.frames
      .map((frame) => (frame.type === 'stream' && frame.kind === 'tool_output' ? frame.text : ''))
      .join('');
  await journey.tab.until(() => streamed() === 'one, two');
  const late = await journey.join(server);
  const { streams } = await late.tab.waitFor('snapshot');
  expect(streams).toMatchObject([{ kind: 'tool_output', toolCallId: prompt.toolCallId, offset: 0, text: 'one, two' }]);
  await journey.submit(prompt, {});
  expect(await journey.outcome()).toEqual({ result: 'done' });
  expect(JSON.stringify(journey.events())).not.toContain('one, two');
});

test.each([
  ['strays', 'unhandled rejection'],
  ['bursts', 'uncaught exception'],
])(
  '[PLG6, SEC8] an unhandled error of %s is logged with its plugin and without its message, and the server keeps running',
  async (tool, kind) => {
    const journey = await Journey.begin(server);
    expect(await journey.run(tool)).toEqual({ result: 'done' });
    const line = await vi.waitFor(() => {
      const found = server.stderr
        .join('')
        .split('\n')
        .find((text) => text.includes(kind) && text.includes('tools.mjs'));
      if (found === undefined) throw new Error('not logged yet');
      return found;
    });
    expect(JSON.parse(line)).toMatchObject({ plugin: 'tools', error: { stack: expect.stringContaining('tools.mjs') } });
    expect(line).not.toMatch(/a stray|a burst/);
    expect(await journey.run('returns', { what: 'text' })).toEqual({ result: 'text' });
  },
);

test('[PLG4] a tool that takes too long is stopped with tool_timeout, its signal aborts', async () => {
  const journey = await Journey.begin(server);
  expect((await journey.run('slow')).error).toMatchObject({ code: 'tool_timeout' });
  expect((await journey.event('turn_end')).payload.status).toBe('completed');
});

test('[PLG4] time spent waiting for people does not count', async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('patient');
  // The other prompt times out long after the tool's own timeout.
  await journey.event('interaction_closed');
  await journey.submit(prompt, { answer: 'at last' });
  expect(await journey.outcome()).toEqual({ result: { answer: 'at last' } });
});
