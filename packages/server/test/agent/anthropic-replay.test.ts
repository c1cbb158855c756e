import { callTool, say } from '@parleyhq/plugin-anthropic/testing';
import { expect, test } from 'vitest';
import { useModelServer } from '../support/model-server.ts';

const model = useModelServer();

const visibleText = { code: 'invalid', details: { fieldErrors: { text: expect.any(String) } } };

test.each(['', ' \n\t', '\u200b\u00a0\u2060'])(
  '[AGT8] a message without a visible character (%j) is refused',
  async (text) => {
    await model.ask('Hello', { content: [say('Hello.')] });
    await model.end();
    const { tab, session } = model.journey;
    const refused = await tab.request({ type: 'user_message', sessionId: session, messageId: 'blank', text });
    expect(refused).toMatchObject({ ok: false, error: visibleText });
    expect(model.payloads('user_message')).toHaveLength(1);
  },
);

test('[AGT8, INT19] a queued message cannot be edited into nothing', async () => {
  await model.ask('Count', { content: [say('One two.')], fault: { kind: 'stall', after: 1 } });
  const { tab, session } = model.journey;
  await model.request(1);
  await tab.say(session, 'And then?', 'next');
  const refused = await tab.request({ type: 'edit_queued', sessionId: session, messageId: 'next', text: ' ' });
  expect(refused).toMatchObject({ ok: false, error: visibleText });
  await tab.ask({ type: 'cancel_turn', sessionId: session });
});

test.each([[['a', 'b']], ['words'], [null]])(
  '[AGT6] arguments that are not an object (%j) are an error that the model reads, and the session continues',
  async (input) => {
    const bad = callTool(`bad-${JSON.stringify(input).length}`, 'echo', input);
    await model.ask('Go', { content: [bad] }, { content: [say('I see.')] }, { content: [say('Still here.')] });
    expect(await model.end()).toMatchObject({ status: 'completed' });
    expect(model.payloads('tool_result')).toMatchObject([{ error: { code: 'invalid_args' } }]);
    const { seq } = model; // before the message: its turn may have ended by the time of its reply
    await model.say('And now?');
    expect(await model.end(seq)).toMatchObject({ status: 'completed' });
    const [, call] = await model.sent(3);
    expect(call?.content[0]).toMatchObject({ type: 'tool_use', input: expect.any(Object) });
  },
);

test('[AGT8] half of a surrogate pair, and names that the API does not accept, are repaired for it', async () => {
  const odd = callTool('odd', 'no such tool!', {});
  await model.ask('Half: \ud83d', { content: [odd] }, { content: [say('I see.')] });
  expect(await model.end()).toMatchObject({ status: 'completed' });
  const [asked, call] = await model.sent(2);
  expect(asked?.content[0]).toMatchObject({ text: 'Half: \ufffd' });
  expect(call?.content[0]).toMatchObject({ name: 'no_such_tool_' });
});

/** Call ids as other providers behind the same API make them. */
const oddIds = [
  'functions.probe ask:0',
  'functions.probe.ask:0',
  'functions:probe:ask:0',
  '',
  'x'.repeat(300),
  'same',
  'same',
];

test('[AGT2, AGT8] calls get their own results back, whatever ids their provider gives them, in each message anew', async () => {
  const calls = oddIds.map((id, n) => callTool(id, 'echo', { n }));
  const again = [callTool('same', 'echo', { n: 'again' }), callTool('functions.probe ask:0', 'echo', { n: 'odd' })];
  await model.ask('Go', { content: calls }, { content: again }, { content: [say('I see.')] });
  expect(await model.end()).toMatchObject({ status: 'completed' });
  expect(model.payloads('error')).toEqual([]);
  const [, first, results, second, more] = await model.sent(3);
  for (const [written, returned] of [
    [first, results],
    [second, more],
  ]) {
    const asked = written?.content.map(({ id, input }) => [id, JSON.stringify(input)]);
    expect(returned?.content.map(({ tool_use_id, content }) => [tool_use_id, content])).toEqual(asked);
  }
  const ids = model.journey.events('tool_call').map(({ payload }) => payload.toolCallId);
  expect(new Set(ids).size).toBe(oddIds.length + again.length);
  expect(ids).toContain('same'); // a valid one is kept
});

test('[AGT8] half of a surrogate pair in the text of the model or a tool is repaired wherever it occurs', async () => {
  const half = callTool('half', 'echo', { 'key \ud83d': [{ word: 'cut \ud83d' }] });
  await model.ask('Go', { content: [say('Cut \ud83d'), half] }, { content: [say('I see.')] });
  expect(await model.end()).toMatchObject({ status: 'completed' });
  const [, written] = await model.sent(2);
  expect(written?.content).toMatchObject([
    { text: 'Cut \ufffd' },
    { input: { 'key \ufffd': [{ word: 'cut \ufffd' }] } },
  ]);
});

test('[AGT8] excessively nested arguments are left out of requests', async () => {
  let deep: unknown = 1;
  for (let depth = 0; depth < 2000; depth += 1) deep = [deep];
  await model.ask('Go', { content: [callTool('deep', 'echo', { deep })] }, { content: [say('I see.')] });
  expect(await model.end()).toMatchObject({ status: 'completed' });
  const [, written] = await model.sent(2);
  expect(written?.content).toMatchObject([{ type: 'tool_use', input: { value: expect.stringContaining('nest') } }]);
});
