import { say } from '@parleyhq/plugin-anthropic/testing';
import { expect, test } from 'vitest';
import { call, useClaudeServer } from './claude-server.ts';

const claude = useClaudeServer();

test.each([
  ['no question', []],
  ['no choices', [{ question: 'Which?', header: 'Which', options: [], multiSelect: false }]],
])('[AGT3, AGT6] a call of AskUserQuestion with %s asks nobody, and the model learns why', async (_, questions) => {
  await claude.ask('Ask me', { content: [call('AskUserQuestion', { questions })] }, { content: [say('Done.')] });
  expect(await claude.end()).toMatchObject({ status: 'completed' });
  expect(claude.payloads('interaction_request')).toEqual([]);
  expect(claude.payloads('tool_result')).toMatchObject([{ error: { code: 'invalid_args' } }]);
  expect((await claude.sent(2)).at(-1)).toMatch(/^error: /);
});
