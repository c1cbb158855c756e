import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { say } from '@parleyhq/plugin-anthropic/testing';
import { expect, test } from 'vitest';
import { makeFolder, useClaudeServer } from './claude-server.ts';

const project = makeFolder();
await writeFile(join(project, 'CLAUDE.md'), 'The password of this project is swordfish.');

const plain = useClaudeServer({ workingDirectory: project });
const set = useClaudeServer({ workingDirectory: project, settingSources: ['project'], model: 'claude-opus-5-5' });

test('[AGT3] by default no settings of the folder are read, and the model is the documented one', async () => {
  await plain.ask('Hello', { content: [say('Hello.')] });
  await plain.end();
  const [sent] = plain.requests;
  expect(sent?.model).toBe('claude-sonnet-5-5');
  expect(JSON.stringify(sent)).not.toContain('swordfish');
});

test('[AGT3] settingSources and model are settings', async () => {
  await set.ask('Hello', { content: [say('Hello.')] });
  await set.end();
  const [sent] = set.requests;
  expect(sent?.model).toBe('claude-opus-5-5');
  expect(JSON.stringify(sent)).toContain('swordfish');
});
