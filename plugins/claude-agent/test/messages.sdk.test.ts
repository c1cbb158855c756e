import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { say, think } from '@parleyhq/plugin-anthropic/testing';
import { expect, test } from 'vitest';
import { call, useClaudeServer } from './claude-server.ts';

const claude = useClaudeServer();

test('[AGT3, EVT4] text and thinking are streamed, and logged as written', async () => {
  const content = [think('Hm, a greeting.'), say('Hello there, friend.')];
  await claude.ask('Hello', { content, fault: { kind: 'stall', after: 5 } });
  const { tab } = claude;
  for (const kind of ['thinking', 'text'])
    await tab.until(({ streams }) => streams.find((stream) => stream.kind === kind));
  claude.api.release();
  expect(await claude.end()).toMatchObject({ status: 'completed', usage: { requests: 1, inputTokens: 10 } });
  expect(claude.payloads('thinking_done', 'assistant_done')).toEqual([
    { block: 0, text: 'Hm, a greeting.' },
    { block: 1, text: 'Hello there, friend.' },
  ]);
  expect(await claude.sent(1)).toEqual(['user: Hello']);
});

test('[AGT3] the next turn continues the session: the model gets both messages', async () => {
  await claude.ask('One', { content: [say('First.')] }, { content: [say('Second.')] });
  await claude.end();
  const { seq } = claude;
  await claude.say('Two');
  expect(await claude.end(seq)).toMatchObject({ status: 'completed' });
  expect(await claude.sent(2)).toEqual(['user: One', 'assistant: First.', 'user: Two']);
});

test('[AGT3] messages are passed on verbatim: they cannot read files or run Claude Code commands', async () => {
  await claude.ask('Hello', { content: [say('Hello.')] });
  await claude.end();
  await writeFile(join(claude.work, 'notes.txt'), 'what nobody allowed');
  claude.script({ content: [say('I see.')] }, { content: [say('Still here.')] });
  for (const words of ['See @notes.txt', '/clear']) {
    const { seq } = claude;
    await claude.say(words);
    await claude.end(seq);
  }
  const said = ['user: Hello', 'assistant: Hello.', 'user: See @notes.txt', 'assistant: I see.', 'user: /clear'];
  expect(await claude.sent(3)).toEqual(said);
  expect(JSON.stringify(claude.api.requests.map(({ body }) => body))).not.toContain('what nobody allowed');
});

test('[AGT3, AGT8] a tool whose schema the API refuses is offered as it takes it, and called by its own names', async () => {
  const filter = call('mcp__parley__foreign', { filter_id_: 2 });
  await claude.ask('Filter', { content: [filter] }, { content: [say('Done.')] });
  expect(await claude.end()).toMatchObject({ status: 'completed' });
  expect(claude.payloads('tool_call', 'tool_result')).toMatchObject([
    { toolName: 'foreign', args: { 'filter[id]': 2 } },
    { result: { 'filter[id]': 2 } },
  ]);
});

test('[AGT3, AGT6] Parley’s tools are offered in process; the model reads their results and errors', async () => {
  await claude.ask(
    'Echo',
    { content: [say('Now.'), call('mcp__parley__echo', { n: 2 }), call('mcp__parley__ask_user', { question: 7 })] },
    { content: [say('Done.')] },
  );
  expect(await claude.end()).toMatchObject({ status: 'completed' });
  expect(claude.payloads('tool_call')).toMatchObject([{ toolName: 'echo', args: { n: 2 } }, { toolName: 'ask_user' }]);
  const { body } = await claude.api.request(claude.api.requests.length - 1);
  expect(body.tools?.find(({ name }) => name === 'mcp__parley__ask_user')).toMatchObject({
    description: 'Ask the person one question and wait for the answer.',
    input_schema: { type: 'object', required: ['question'] },
  });
  const [user, words, , , result, error] = await claude.sent(2);
  expect([user, words, result]).toEqual(['user: Echo', 'assistant: Now.', 'result: {"n":2}']);
  expect(error).toMatch(/^error: invalid_args: question/);
});
