import { callTool, say, think } from '@parley/server/testing';
import { expect, test } from 'vitest';
import { ModelServer, result, user } from './support/model-server.ts';

test('[AGT2, EVT4] words and thoughts stream to the tab, and stand in the log as they were written', async () => {
  const content = [think('Hm, a greeting.'), say('Hello there, friend.')];
  const model = await ModelServer.start({ content, fault: { kind: 'stall', after: 5 } });
  await model.say('Hello');
  expect(await model.streamed('thinking', 'Hm, a greeting.')).toBe(true);
  expect(await model.streamed('text', 'Hello ')).toBe(true);
  model.api.release();
  expect(await model.end()).toMatchObject({ status: 'completed' });
  expect(model.journey.events('thinking_done', 'assistant_done').map(({ payload }) => payload)).toEqual([
    { block: 0, text: 'Hm, a greeting.' },
    { block: 1, text: 'Hello there, friend.' },
  ]);
  expect(await model.sent(1)).toEqual([user('Hello')]);
});

test('[AGT2, DUR7] a call runs, and the next request has the message as it came and its result', async () => {
  const content = [think('Let me see.'), say('I call it.'), callTool('toolu_1', 'echo', { n: 1 })];
  const model = await ModelServer.start({ content }, { content: [say('It said 1.')] });
  await model.say('Call echo');
  expect(await model.end()).toMatchObject({ status: 'completed' });
  const [asked, called, returned] = await model.sent(2);
  expect(asked).toEqual(user('Call echo'));
  expect(called).toEqual({
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Let me see.', signature: 'signed: Let me see.' },
      { type: 'text', text: 'I call it.', citations: null },
      { type: 'tool_use', id: 'toolu_1', name: 'echo', input: { n: 1 }, caller: { type: 'direct' } },
    ],
  });
  expect(returned).toEqual(user(result('toolu_1', '{"n":1}')));
});
