import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { runParley } from '../../server/test/support/command.ts';
import { mainPath } from '../../server/test/support/server-process.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-commands-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

/** A module that leaves the file `loaded` in the folder. */
const noisy = `import { writeFileSync } from 'node:fs';
writeFileSync(new URL('loaded', import.meta.url), '');
`;

const echo = `{
  name: 'echo',
  summary: 'print what was given',
  arguments: [{ name: 'word', summary: 'what to print' }, { name: 'more', summary: 'and this', optional: true }],
  options: [
    { flag: '--loud', summary: 'with an exclamation mark' },
    { flag: '--dry-run <mode>', summary: 'how', choices: ['a', 'b'] },
  ],
  run: ({ args, options, print }) => print(JSON.stringify({ args, options }) + '\\n'),
}`;

const wrap = `{
  name: 'wrap',
  summary: 'print the words of another command',
  arguments: [{ name: 'how', summary: 'a word' }, { name: 'command', summary: 'the rest', rest: true }],
  run: ({ args, rest, print }) => print(JSON.stringify({ args, rest }) + '\\n'),
}`;

/** Writes a plugin with these commands and a config file that names it. @returns the path of the config file */
function configWith(commands: string, before = ''): string {
  writeFileSync(
    join(folder, 'plugin.mjs'),
    `${before}export default { name: 'mine', tools: [], commands: ${commands} };`,
  );
  writeFileSync(join(folder, 'parley.config.json'), '{ "plugins": ["./plugin.mjs"] }');
  return join(folder, 'parley.config.json');
}

interface End {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command in the folder, without a terminal. */
async function runThere(words: readonly string[], onText = (_: string, __: () => void) => {}): Promise<End> {
  const child = spawn(process.execPath, [mainPath, ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, XDG_CONFIG_HOME: join(folder, 'home') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
    onText(stdout, () => child.kill('SIGINT'));
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}

test('[PLG15] a plugin of the config file brings a command, which gets its arguments and options', async () => {
  const config = configWith(`[${echo}]`);
  const end = await runParley('echo', 'a', '--config', config, '--dry-run', 'b', '--loud');
  expect({ ...end, stdout: JSON.parse(end.stdout) }).toEqual({
    code: 0,
    stdout: { args: { word: 'a' }, options: { config, dryRun: 'b', loud: true } },
    stderr: '',
  });
  expect(await runParley('echo', 'a', 'b', 'c', '--config', config)).toMatchObject({ code: 2, stdout: '' });
  expect(await runParley('echo', '--config', config)).toMatchObject({ code: 2, stdout: '' });
  expect(await runParley('echo', 'a', '--dry-run', 'c', '--config', config)).toMatchObject({ code: 2, stdout: '' });
  const { stdout } = await runParley('echo', '--help', '--config', config);
  expect(stdout).toContain('Usage: parley echo [options] <word> [more]\n\nprint what was given\n');
  for (const line of ['what to print', '--loud', '(choices: "a", "b")', '--port <number>', '  parley echo\n', '0 done'])
    expect(stdout).toContain(line);
});

test('[PLG15] an argument takes the rest of the words, with the options of another program', async () => {
  configWith(`[${wrap}]`);
  const { stdout } = await runThere(['wrap', 'gently', '--config', 'parley.config.json', '--', 'rm', '-r', '--', 'x']);
  expect(JSON.parse(stdout)).toEqual({ args: { how: 'gently' }, rest: ['rm', '-r', '--', 'x'] });
});

test('[PLG15] a command line without a command of the plugin does not import it', async () => {
  const config = configWith(`[${echo}]`, noisy);
  const isLoaded = () => existsSync(join(folder, 'loaded'));
  for (const words of [['--help'], ['help', 'token'], ['completion', 'bash'], ['token', 'list'], ['connect', '--help']])
    expect(await runThere(words)).toMatchObject({ code: 0 });
  expect(await runThere(['serv'])).toMatchObject({ code: 2 }); // the config file is not trusted
  expect(isLoaded()).toBe(false);
  expect(await runThere(['echo', 'a', '--config', config])).toMatchObject({ code: 0 });
  expect(isLoaded()).toBe(true);
});

test('[PLG15, SEC10] a plugin of a config file that nobody named or trusts is not run', async () => {
  configWith(`[${echo}]`, noisy);
  for (const words of [
    ['echo', 'a'],
    ['help', 'echo'],
    ['connect', 'echo'],
  ]) {
    const { code, stdout, stderr } = await runThere(words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('nobody has said that they are trusted');
  }
  expect(existsSync(join(folder, 'loaded'))).toBe(false);
});

test('[PLG15] without a config file an unknown command is what it was', async () => {
  expect(await runThere(['tokn'])).toEqual({
    code: 2,
    stdout: '',
    stderr: 'parley: There is no command "tokn". Did you mean "token"?\n',
  });
});

test('[PLG15, ASK7] a command below connect has the flags of connect', async () => {
  const program = `{
    name: 'Editor', findSettings: () => '', describe: ({ url, token }) => url + ' ' + token,
    read: () => ({ tokens: [], connect: () => '', disconnect: () => '' }),
  }`;
  const command = `{ name: 'connect editor', summary: 'An editor', run: ({ connect }) => connect(${program}) }`;
  const config = configWith(`[${command}]`);
  const { stdout } = await runParley(
    'connect',
    'editor',
    '--print',
    '--url',
    'https://example.org/p/',
    '--config',
    config,
  );
  expect(stdout).toBe('https://example.org/p $PARLEY_ASK_TOKEN\n');
});

describe('[PLG15] a command that fails', () => {
  test.each([
    ['an error', "new Error('It broke.')", 1, 'parley: It broke.\n'],
    [
      'an error with an exit code',
      "Object.assign(new Error('Ask again.'), { exitCode: 7 })",
      7,
      'parley: Ask again.\n',
    ],
    ['an exit code that there is not', "Object.assign(new Error('Odd.'), { exitCode: 0 })", 1, 'parley: Odd.\n'],
    ['a text', "'no'", 1, 'parley: no\n'],
  ])('exits with a code and one line: %s', async (_, thrown, code, stderr) => {
    const config = configWith(`[{ name: 'fail', summary: 'fail', run() { throw ${thrown}; } }]`);
    expect(await runParley('fail', '--config', config)).toEqual({ code, stdout: '', stderr });
  });

  test('exits with 130 after Ctrl-C, which aborts its signal', async () => {
    const run = `({ signal, print }) => new Promise((_, reject) => {
      const timer = setTimeout(() => {}, 60_000);
      signal.addEventListener('abort', () => reject(clearTimeout(timer) ?? signal.reason));
      print('waiting\\n');
    })`;
    const config = configWith(`[{ name: 'wait', summary: 'wait', run: ${run} }]`);
    const end = await runThere(['wait', '--config', config], (text, interrupt) => {
      if (text.includes('waiting')) interrupt();
    });
    expect(end).toEqual({ code: 130, stdout: 'waiting\n', stderr: 'parley: Interrupted.\n' });
  });
});

describe('[PLG15, PLG2] a command that cannot be', () => {
  const named = (name: string) => `[{ name: '${name}', summary: 's', run() {} }]`;

  test.each([
    ['of Parley', named('token'), 'Plugin "mine": command "token": "parley token" is a command of Parley itself.'],
    [
      'of a plugin that ships',
      named('connect claude'),
      'Plugin "mine": command "connect claude": plugin "claude-code" has a command of this name, too.',
    ],
    [
      'without a summary',
      "[{ name: 'a', run() {} }]",
      'Plugin "mine": command "a": it has no "summary", which must be a line of text.',
    ],
  ])('is refused by check and by serve: one %s', async (_, commands, words) => {
    const config = configWith(commands);
    const plugin = join(folder, 'plugin.mjs');
    expect(await runParley('check', plugin)).toEqual({ code: 1, stdout: '', stderr: `parley: ${words}\n` });
    const started = await runParley('serve', '--config', config, '--port', '0', '--data-dir', join(folder, 'data'));
    expect(started.code).toBe(1);
    expect(started.stdout + started.stderr).toContain(words);
  });

  test('is refused when one of two plugins is used', async () => {
    configWith(named('a'));
    writeFileSync(join(folder, 'other.mjs'), `export default { name: 'other', tools: [], commands: ${named('a')} };`);
    const config = join(folder, 'two.json');
    writeFileSync(config, '{ "plugins": ["./plugin.mjs", "./other.mjs"] }');
    expect(await runParley('a', '--config', config)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'parley: Plugin "other": command "a": plugin "mine" has a command of this name, too.\n',
    });
  });
});
