import { readFile } from 'node:fs/promises';
import { say } from '@parleyhq/plugin-anthropic/testing';
import { expect, test } from 'vitest';
import { call, useClaudeServer } from './claude-server.ts';

const claude = useClaudeServer();

test('[AGT3] a result that is too large for the SDK reaches the model as its beginning and a file that it may read', async () => {
  const text = Array.from({ length: 40_000 }, (_, n) => `word${n}`).join(' ');
  await claude.ask('Go', { content: [call('mcp__parley__echo', { text })] }, { content: [say('Done.')] });
  await claude.end();
  const result = (await claude.sent(2)).at(-1) ?? '';
  expect(result).toMatch(/^result: .*word0 word1 /);
  const [, file = ''] = /The whole result is in (\S+)\]$/.exec(result) ?? [];
  expect(await readFile(file, 'utf8')).toContain(text);

  claude.script({ content: [call('Read', { file_path: file, limit: 1 })] }, { content: [say('Read.')] });
  const { seq } = claude;
  await claude.say('Read it');
  expect(await claude.end(seq)).toMatchObject({ status: 'completed' });
  expect(claude.payloads('interaction_request')).toEqual([]);
});
