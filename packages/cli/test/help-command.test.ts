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

test.each([[['creat']], [['connect', 'creat']]])('[OPS2] %j with --help is the same error', async (words) => {
  const said = expect.stringMatching(/^parley: There is no command "[^"]*creat"\./);
  expect(await runParley(...words, '--help')).toEqual({ code: 2, stdout: '', stderr: said });
});

test('[ACP2, ACP5] the help of commands that only ask says whose token they take, and from which variables', async () => {
  const plain = async (...words: string[]) => (await runParley(...words, '--help')).stdout.replace(/\s+/g, ' ');
  expect(await plain('acp')).toContain("an asker's token (or PARLEY_ASK_TOKEN, else PARLEY_TOKEN)");
  expect(await plain('acp-serve')).toContain('its access token (or PARLEY_TOKEN)');
  expect(await plain('connect', 'codex')).toContain("It asks with --token, else PARLEY_ASK_TOKEN: an asker's token");
});
