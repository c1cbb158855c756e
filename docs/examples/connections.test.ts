import { readFile } from 'node:fs/promises';
import { runParley } from '@parleyhq/client/process';
import { expect, test } from 'vitest';
import { pathOf } from './test/talk.ts';

test('[ASK7] the hooks in docs/connect.md are those that --print shows', async () => {
  const { stdout } = await runParley('connect', 'claude', '--print', '--url', 'http://127.0.0.1:7420');
  expect(JSON.parse(stdout)).toEqual(JSON.parse(await readFile(pathOf('claude-hooks.json'), 'utf8')));
});

test('[ASK7] the settings of Codex in docs/connect.md are those that --print shows', async () => {
  const { stdout } = await runParley('connect', 'codex', '--print', '--url', 'http://127.0.0.1:7420');
  expect(stdout).toBe(await readFile(pathOf('codex-config.toml'), 'utf8'));
});
