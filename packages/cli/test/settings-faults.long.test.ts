import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runParley } from '../../server/test/support/command.ts';
import { failToStart } from '../../server/test/support/fail-to-start.ts';
import { makeFolder } from '../../server/test/support/plugin-file.ts';

const folder = makeFolder();

describe.each([
  ['a port that is none', ['--port', 'abc'], {}, ['--port: must be a whole number from 0 to 65535']],
  ['a port beyond all ports', ['--port', '99999'], {}, ['--port: must be a whole number from 0 to 65535']],
  ['a port that is missing', ['--port'], {}, ['--port', 'argument missing']],
  ['a switch of the environment', [], { PARLEY_AUTH: 'nein' }, ['PARLEY_AUTH: must be true or false']],
  ['a choice of the environment', [], { PARLEY_DURABILITY: 'maybe' }, ['PARLEY_DURABILITY', '"full"']],
  ['a list of the environment', [], { PARLEY_ALLOWED_ORIGINS: 'here' }, ['PARLEY_ALLOWED_ORIGINS', 'https://']],
  ['a log level', ['--log-level', 'loud'], {}, ['--log-level', 'silent']],
  ['a short token', ['--token', 'short'], {}, ['--token', '16']],
  ['a config file that is not there', ['--config', 'missing.json'], {}, ['missing.json']],
  ['an agent that is not there', ['--no-auth', '--agent', 'parrot'], {}, ['parrot', 'demo']],
  ['an agent that is nearly there', ['--no-auth', '--agent', 'dmeo'], {}, ['Did you mean "demo"?']],
  ['an option that is none', ['--prot', '1'], {}, ['parley: unknown option', '--prot', '--port']],
  ['an extra argument', ['more'], {}, ['"more" is one argument too many']],
  ['everybody on every address', ['--no-auth', '--host', '0.0.0.0'], {}, ['--no-auth', 'loopback']],
  ['a token in the clear', ['--host', '0.0.0.0'], {}, ['0.0.0.0', '--behind-proxy']],
  ['everybody behind a proxy', ['--no-auth', '--host', '0.0.0.0', '--behind-proxy'], {}, ['--no-auth']],
  ['an address of another machine', ['--no-auth', '--host', 'example.invalid'], {}, ['example.invalid']],
  ['no data folder', ['--data-dir', ''], {}, ['--data-dir: must not be empty']],
  ['a file as data folder', ['--data-dir', 'README.md'], {}, ['--data-dir', 'README.md is a file']],
  ['a data folder that cannot be made', ['--data-dir', '/proc/x'], {}, ['--data-dir', '/proc/x cannot be used']],
  ['a plugin that is not there', ['--plugin', './nope.mjs'], {}, ['nope.mjs', 'there is no file']],
  ['a folder as plugin', ['--plugin', './packages/server/test/'], {}, ['is a folder']],
  ['a package that is not there', ['--plugin', 'nopkg'], {}, ['there is no file', 'no package "nopkg"']],
] as const)('[OPS2, SEC1, PLG4] %s', (_, args, env, words) => {
  test('stops the start with a message that names it, and code 2', async () => {
    expectSentence(await failToStart({ args, env }), words);
  });
});

describe.each([
  ['no object', [], ['must hold one object']],
  ['a number in quotes', { toolTimeoutMs: '7' }, ['toolTimeoutMs: must be a whole number']],
  ['a switch in quotes', { behindProxy: 'false' }, ['behindProxy: must be true or false']],
  [
    'a quota of nothing',
    { quotas: { sessionsPerHour: 0 } },
    ['quotas.sessionsPerHour: must be a whole number above 0'],
  ],
  ['less time than it takes', { freshLoginMs: 1 }, ['freshLoginMs: must be 0 for any time, or at least 60000']],
  ['a time before now', { freshLoginMs: -1 }, ['freshLoginMs: must be a whole number of milliseconds, or 0']],
  ['a key with a typo', { plugin: [] }, ['there is no setting "plugin". Did you mean "plugins"?']],
  ['a plugin with a typo', { plugins: [{ modul: './a.mjs' }] }, ['plugins.0: must be a path', '"module"']],
  [
    'a plugin that does not fit',
    { pluginConfigs: { shell: { workingDirectory: 7 } } },
    ['"shell"', 'workingDirectory'],
  ],
])('[OPS2, PLG4] a config file with %s', (_, config, words) => {
  test('stops the start with a message that names it, and code 2', async () => {
    const file = join(folder, 'parley.config.json');
    await writeFile(file, JSON.stringify(config));
    expectSentence(await failToStart({ args: ['--no-auth', '--config', file] }), words);
  });
});

test('[OPS2] an unknown command is named, with the most similar one', async () => {
  const { code, stdout, stderr } = await runParley('serv', '--json');
  expect([code, stdout, stderr]).toEqual([2, '', 'parley: There is no command "serv". Did you mean "serve"?\n']);
});

function expectSentence({ code, stdout, stderr }: Awaited<ReturnType<typeof failToStart>>, words: readonly string[]) {
  for (const word of words) expect(stderr).toContain(word);
  expect(stderr).not.toMatch(/^\s+at |Invalid input|^\s*[[{]/m);
  expect([code, stdout]).toEqual([2, '']);
}
