import { limits } from '@parleyhq/core';
import { callTool, type FakeMessagesApi, say } from '@parleyhq/plugin-anthropic/testing';
import { expect, test } from 'vitest';
import { Journey } from '../support/journey.ts';
import { startLocalServer } from '../support/local-server.ts';
import { startModelServer } from '../support/model-server.ts';

/** A model that never stops calling. */
function callForEver(api: FakeMessagesApi): void {
  api.otherwise(() => ({ content: [callTool(`call_${api.requests.length}`, 'echo', { n: 1 })] }));
}

test('[AGT8] a turn ends after its maximum of messages, with every call answered', async () => {
  const model = await startModelServer({}, { PARLEY_MAX_ROUNDS: '3' });
  callForEver(model.api);
  await model.say('go');
  expect(await model.end()).toMatchObject({ status: 'error', error: { code: 'max_rounds' } });
  expect(model.requests).toBe(3);
  expect(model.payloads('tool_result')).toHaveLength(3);

  model.api.otherwise(() => ({ content: [say('Done.')] }));
  const { seq } = model;
  await model.say('go on');
  expect(await model.end(seq)).toMatchObject({ status: 'completed' });
});

test('[AGT8, DUR7] messages from before a crash count', async () => {
  const model = await startModelServer({}, { PARLEY_MAX_ROUNDS: '2' });
  model.api.script(
    { content: [callTool('first', 'echo')] },
    { content: [say('One two.')], fault: { kind: 'stall', after: 1 } },
  );
  await model.say('go');
  await model.request(2);
  callForEver(model.api);
  await model.crash();
  expect(await model.end()).toMatchObject({ status: 'error', error: { code: 'max_rounds' } });
  expect(model.payloads('tool_call')).toHaveLength(2);
});

test('[AGT8] a turn ends once it has used its tokens', async () => {
  const model = await startModelServer({}, { PARLEY_TOKEN_BUDGET: '40' });
  callForEver(model.api); // 15 tokens each
  await model.say('go');
  expect(await model.end()).toMatchObject({ status: 'error', error: { code: 'token_budget' } });
  expect(model.requests).toBe(3);
});

test('[AGT8, SEC6] a message with too many calls ends its turn, and none of them is made', async () => {
  const server = await startLocalServer();
  const journey = await Journey.begin(server);
  const lines = (count: number) => Array.from({ length: count }, () => '/call no_such').join('\n');
  await journey.tab.say(journey.session, lines(limits.messageCalls + 1));
  const { payload, seq } = await journey.event('turn_end');
  expect(payload).toMatchObject({ status: 'error', error: { code: 'too_many_calls' } });
  expect(journey.events('tool_call')).toEqual([]);
  await journey.tab.say(journey.session, lines(limits.messageCalls));
  expect((await journey.event('turn_end', undefined, seq)).payload.status).toBe('completed');
  expect(journey.events('tool_result')).toHaveLength(limits.messageCalls);
});
