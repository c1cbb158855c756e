import { readFile } from 'node:fs/promises';
import type { FileReference } from '@parleyhq/core';
import { say } from '@parleyhq/plugin-anthropic/testing';
import { expect, test } from 'vitest';
import { call, useClaudeServer } from './claude-server.ts';

const claude = useClaudeServer();

test('[REV6, AGT3] a file that a person attached to an answer reaches the model as a path that it may read', async () => {
  await claude.ask('Go', { content: [call('Bash', { command: 'touch x' })] }, { content: [say('I see.')] });
  const { tab, server } = claude;
  const prompt = await tab.prompt();
  const address = `${server.url}/api/sessions/${tab.sessionId}/interactions/${prompt.interactionId}/files`;
  const headers = {
    'upload-length': '3',
    'content-type': 'text/plain',
    'content-disposition': 'attachment; filename="log.txt"',
  };
  const response = await fetch(address, { method: 'POST', headers, body: 'E42' });
  const { fileId } = (await response.json()) as { fileId: string };
  await tab.answer(prompt, { action: 'deny', reason: 'It failed.', files: [{ fileId }] });
  await claude.end();
  const result = (await claude.sent(2)).at(-1) ?? '';
  const [, path = ''] = /Attached files:\s+(\S+)/.exec(result) ?? [];
  expect(await readFile(path, 'utf8')).toBe('E42');

  claude.script({ content: [call('Read', { file_path: path })] }, { content: [say('Read.')] });
  const { seq } = claude;
  await claude.say('Read it');
  expect(await claude.end(seq)).toMatchObject({ status: 'completed' });
  expect(claude.payloads('interaction_request')).toHaveLength(1);
});

test('[REV6, AGT3] a file of a message reaches the model as a path that it may read', async () => {
  await claude.ask('Hello', { content: [say('Hello.')] }, { content: [say('I see.')] });
  await claude.end();
  const { tab, server, seq } = claude;
  const address = `${server.url}/api/sessions/${tab.sessionId}/files`;
  const headers = {
    'upload-length': '3',
    'content-type': 'text/plain',
    'content-disposition': 'attachment; filename="log.txt"',
  };
  const response = await fetch(address, { method: 'POST', headers, body: 'E43' });
  const { file } = (await response.json()) as { file: FileReference };
  await tab.session.send('What is wrong?', [file]);
  await claude.end(seq);
  const said = JSON.stringify(await claude.sent(2));
  expect(said).toContain('Attached: log.txt (3 bytes)');
  const [, path = ''] = /Attached files:\\n([^"\\]+)/.exec(said) ?? [];
  expect(await readFile(path, 'utf8')).toBe('E43');
});
