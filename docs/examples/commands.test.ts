import { runParley } from '@parleyhq/client/process';
import { expect, test } from 'vitest';
import { fileOf, pathOf, startInTest, Talk } from './test/talk.ts';

const token = 'a-token-for-this-test';

test('[PLG15] the command of docs/plugin-guide.md prints what waits, and exits with a code of its own', async () => {
  const config = fileOf(
    JSON.stringify({ plugins: [process.cwd() + pathOf('waiting.mjs').slice(1)] }),
    'parley.config.json',
  );
  const server = await startInTest({ plugins: [pathOf('hello.mjs')], token });
  const waiting = (...words: string[]) =>
    runParley('waiting', '--config', config, '--port', new URL(server.url).port, '--token', token, ...words);

  expect(await waiting()).toEqual({ code: 3, stdout: '', stderr: 'parley: Nothing waits.\n' });
  const talk = await Talk.begin(server, '/call greet');
  await talk.prompt();
  expect(await waiting()).toEqual({ code: 0, stdout: 'What is your name?\n', stderr: '' });
  expect(await waiting('--risk', 'high')).toMatchObject({ code: 3 });
  expect(await waiting('--risk', 'huge')).toMatchObject({ code: 2 });
  expect((await waiting('--help')).stdout).toContain('3 nothing waits');
});
