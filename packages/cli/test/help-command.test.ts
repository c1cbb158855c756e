import { expect, test } from 'vitest';
import { runParley } from '../../server/test/support/command.ts';

test('[OPS2] help finds a command of several words', async () => {
  const [help, own] = await Promise.all([runParley('help', 'token', 'create'), runParley('token', 'create', '--help')]);
  expect(help).toEqual(own);
  expect(help.stdout).toContain('--owner <person>');
});

test('[OPS2] help of an unknown command is an error that names the most similar one', async () => {
  expect(await runParley('help', 'token', 'creat')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'parley: There is no command "token creat". Did you mean "create"?\n',
  });
});
