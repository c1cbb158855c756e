import { expect, test } from 'vitest';
import { Journey, loadPlugin, loadShippedPlugin, question } from '../support/journey.ts';
import { useLocalServer } from '../support/local-server.ts';

const server = useLocalServer({ plugins: [await loadPlugin('scripted.mjs'), await loadShippedPlugin('ask-user')] });

test('[INT13, INT2] prompts of one call are numbered in order and can be answered in any order', async () => {
  const journey = await Journey.begin(server);
  const ids = ['a', 'b', 'c', 'd'];
  await journey.call('parallel', { demands: ids.map((id) => ({ request: question(id, { key: id }) })) });
  const open = await journey.prompts(4);
  expect(open.map(({ slot }) => slot)).toEqual(ids);
  expect(open.map(({ interactionId, toolCallId }) => interactionId.slice(toolCallId.length))).toEqual([
    '.1',
    '.2',
    '.3',
    '.4',
  ]);
  for (const prompt of open.toReversed()) {
    const [id] = prompt.slot;
    expect(await journey.submit(prompt, { [id!]: `for ${id}` })).toMatchObject({ ok: true });
  }
  expect((await journey.outcome()).result).toMatchObject(ids.map((id) => ({ input: { [id]: `for ${id}` } })));
});

test('[INT13, AGT1] lines of one message are parallel calls in one append; the reply keeps their order', async () => {
  const journey = await Journey.begin(server);
  const lines = ['first', 'second', 'third'].map((id) => `/call ask_user ${JSON.stringify({ question: id })}`);
  await journey.tab.say(journey.session, lines.join('\n'));
  const open = await journey.prompts(3);
  const calls = journey.events('tool_call');
  expect(calls.map(({ seq }) => seq)).toEqual([calls[0]!.seq, calls[0]!.seq + 1, calls[0]!.seq + 2]);
  expect(new Set(calls.map(({ responseId }) => responseId)).size).toBe(1);
  expect(new Set(calls.map(({ timestamp }) => timestamp)).size).toBe(1);
  expect(Math.min(...journey.events('interaction_request').map(({ seq }) => seq))).toBeGreaterThan(calls[2]!.seq);
  for (const prompt of open.toReversed()) await journey.submit(prompt, { answer: `re: ${prompt.prompt}` });
  expect(await journey.words()).toBe(
    ['first', 'second', 'third'].map((id) => `ask_user returned: {"ok":true,"answer":"re: ${id}"}`).join('\n'),
  );
});

test('[INT13] a call that fails, one that times out and one that is answered end independently', async () => {
  const journey = await Journey.begin(server);
  const line = (args: object) => `/call scripted ${JSON.stringify(args)}`;
  const lines = [
    line({ request: question('a'), onResponse: [{ throw: { message: 'x' } }] }),
    line({ request: question('b', { timeoutMs: 50 }) }),
    line({ request: question('c'), onResponse: [{ return: { complete: 'fine' } }] }),
  ];
  await journey.tab.say(journey.session, lines.join('\n'));
  const open = await journey.prompts(3);
  const of = (text: string) => open.find(({ prompt }) => prompt === text)!;
  expect((await journey.outcome(of('b?'))).result).toEqual({ ok: false, error: 'timeout' });
  await journey.submit(of('c?'), { c: '' });
  expect(await journey.outcome(of('c?'))).toEqual({ result: 'fine' });
  expect(journey.settlements(of('a?'))).toEqual([]);
  await journey.submit(of('a?'), { a: '' });
  expect((await journey.outcome(of('a?'))).error).toMatchObject({ code: 'handler_error' });
  expect(await journey.words()).toBe(
    [
      'scripted returned: {"error":{"code":"handler_error","message":"x"}}',
      'scripted returned: {"ok":false,"error":"timeout"}',
      'scripted returned: "fine"',
    ].join('\n'),
  );
});

test("[INT13] two sessions wait side by side; a third tab's inbox shows both", async () => {
  const [one, two] = await Promise.all([Journey.begin(server), Journey.begin(server)]);
  const watcher = await Journey.begin(server);
  const [a, b] = await Promise.all([
    one.ask('ask_user', { question: 'one' }),
    two.ask('ask_user', { question: 'two' }),
  ]);
  for (const prompt of [a, b]) {
    await watcher.tab.until(
      (frame) => frame.type === 'interaction_opened' && frame.interaction.interactionId === prompt.interactionId,
    );
  }
  await watcher.tab.answer(two.session, b, { action: 'submit', input: { answer: '2' } });
  expect(await two.words()).toBe('ask_user returned: {"ok":true,"answer":"2"}');
  expect(one.settlements(a)).toEqual([]);
  await one.submit(a, { answer: '1' });
  await watcher.tab.until(
    (frame) =>
      frame.type === 'interaction_settled' && frame.interactionId === a.interactionId && frame.status === 'answered',
  );
});

test('[SEC6, INT13] a hundred prompts can be open in a session; the next is refused and the others stay open', async () => {
  const journey = await Journey.begin(server);
  const demands = Array.from({ length: 101 }, (_, n) => ({ request: question('answer', { key: `k${n}` }) }));
  await journey.call('parallel', { demands });
  const open = await journey.prompts(100);
  await Promise.all(open.map((prompt) => journey.submit(prompt, { answer: prompt.slot })));
  const result = (await journey.outcome()).result as object[];
  expect(result.slice(0, 100)).toMatchObject(open.map(({ slot }) => ({ input: { answer: slot } })));
  expect(result[100]).toEqual({ code: 'too_many_prompts' });
});
