import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { coversCall, isAsNamed, offerSuggested } from './suggested-rule.ts';

let base: string;
let folder: string;
beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'parley-rule-')));
  folder = join(base, 'work');
  await mkdir(join(folder, 'src'), { recursive: true });
  await mkdir(join(base, 'other/deep'), { recursive: true });
  await writeFile(join(base, 'other/deep/a.txt'), '');
  await symlink(join(base, 'other'), join(folder, 'link'));
});
afterAll(() => rm(base, { recursive: true }));

/** The offered labels. */
async function offer(toolName: string, args: object, suggestions: readonly unknown[], isEdit = false) {
  return (await offerSuggested(suggestions, { toolName, args: { ...args }, folder, isEdit })).map(({ label }) => label);
}

const allow = (toolName: string, ruleContent?: string, change: object = {}) => ({
  type: 'addRules',
  behavior: 'allow',
  destination: 'localSettings',
  rules: [{ toolName, ...(ruleContent !== undefined && { ruleContent }) }],
  ...change,
});
const acceptEdits = { type: 'setMode', mode: 'acceptEdits', destination: 'session' };
const offersCommand = (command: string, pattern: string, more: object = {}) =>
  offer('Bash', { command, ...more }, [allow('Bash', pattern)]);

test('[APR7, AGT3] a prefix of a command is offered in its exact words', async () => {
  const rules = await offerSuggested([allow('Bash', 'npm test *'), acceptEdits], {
    toolName: 'Bash',
    args: { command: 'npm test -- --watch', description: 'Test' },
    folder,
    isEdit: false,
  });
  expect(rules).toEqual([
    {
      id: 'suggestion1',
      label:
        'single Bash commands that begin with `npm test`, with options known to be harmless and no path out of the folder',
      key: ['command', 'npm', 'test'],
      scopes: ['session'],
    },
  ]);
});

test.each([
  ['npm test; rm x', 'npm test *'],
  ['npm test && rm x', 'npm test *'],
  ['cd sub && npm test', 'npm test *'],
  ['npm test | tee x', 'npm test *'],
  ['npm test > x', 'npm test *'],
  ['npm test $(rm x)', 'npm test *'],
  ['npm test `rm x`', 'npm test *'],
  ['npm test "$(rm x)"', 'npm test *'],
  ['npm test\nrm x', 'npm test *'],
  ['npm test &', 'npm test *'],
  ['npm test *', 'npm test *'],
  ['npm test ~/x', 'npm test *'],
  ['npm test {a,b}', 'npm test *'],
  ['npm test # x', 'npm test *'],
  ["npm test 'x", 'npm test *'],
  ['npm test \\x', 'npm test *'],
  ['npm\u00a0test x', 'npm test *'],
  ['A=1 npm test', 'npm test *'],
  ['npm testing', 'npm test *'],
  ['npm test /tmp/x.test.js', 'npm test *'],
  ['npm test ../x', 'npm test *'],
  ['npm test -- --require x', 'npm test *'],
  ['npm test -- --config=x', 'npm test *'],
  ['npm test --prefix x', 'npm test *'],
  ['git log --show-signature', 'git log *'],
  ['npm test', 'npm test'],
  ['npm test', 'npm test:*'],
  ['npm test', 'npm *'],
  ['npm test', '*'],
  ['npm test', 'npm * test *'],
  ['sudo rm x', 'sudo rm *'],
  ['/usr/bin/env rm x', '/usr/bin/env rm *'],
  ['bash -c x', 'bash -c *'],
])('[APR7, AGT3] nothing is offered for %j with the pattern %j', async (command, pattern) => {
  expect(await offersCommand(command, pattern)).toEqual([]);
});

test.each([{ run_in_background: true }, { dangerouslyDisableSandbox: true }, { timeout: 9000 }])(
  '[APR7, AGT3] a command with the flag %j is neither offered a rule nor covered by one',
  async (flag) => {
    expect(await offersCommand('npm test', 'npm test *', flag)).toEqual([]);
    expect(coversCall({ key: ['command', 'npm', 'test'] }, { command: 'npm test', ...flag })).toBe(false);
  },
);

test.each(['npm test', "npm test 'a b; c'", 'npm  test "x y"', 'npm "test" x'])(
  '[APR7, AGT3] a prefix covers %j',
  (command) => {
    expect(coversCall({ key: ['command', 'npm', 'test'] }, { command })).toBe(true);
  },
);

test('[APR7, AGT3] the files of a folder are offered for reading, unless a link leads elsewhere', async () => {
  const path = join(base, 'other/deep/a.txt');
  const at = (where: string) => [allow('Read', `/${where}/**`)];
  expect(await offer('Read', { file_path: path }, at(join(base, 'other/deep')))).toEqual([
    `reading any file in \`${join(base, 'other/deep')}\` and the folders in it`,
  ]);
  expect(await offer('Read', { file_path: join(folder, 'link/deep/a.txt') }, at(join(folder, 'link/deep')))).toEqual(
    [],
  );
  expect(await offer('Read', { file_path: path }, at(join(base, 'else')))).toEqual([]);
  expect(await offer('Read', { file_path: path }, at(join(base, 'o*')))).toEqual([]);
  expect(await offer('Grep', { path: join(base, 'other'), pattern: 'x' }, at(join(base, 'other')))).toEqual([]);
});

test.each([
  ['/etc/hosts', true],
  ['/etc/ssl/a', true],
  ['/etc', false],
  ['/etcetera/a', false],
  ['/etc/../root/a', false],
  ['/etc//a', false],
  ['hosts', false],
])('[APR7, AGT3] what a rule for reading in /etc says of %j: %j', (path, isCovered) => {
  expect(coversCall({ key: ['read', '/etc'] }, { file_path: path })).toBe(isCovered);
});

test('[APR7, AGT3] the files that acceptEdits would cover are offered for changing, without hidden ones', async () => {
  const words = `changing any file in \`${folder}\` and the folders in it with this tool, except hidden ones`;
  const write = (path: string, isEdit: boolean) =>
    offer('Write', { file_path: path, content: 'x' }, [acceptEdits], isEdit);
  expect(await write(join(folder, 'src/new.ts'), true)).toEqual([words]);
  expect(await write(join(folder, 'src/new.ts'), false)).toEqual([]);
  expect(await write(join(folder, '.env'), true)).toEqual([]);
  expect(await write(join(folder, 'link/a.txt'), true)).toEqual([]);
  expect(await write(join(base, 'a.txt'), true)).toEqual([]);
  expect(coversCall({ key: ['change', folder] }, { notebook_path: join(folder, 'src/.x/a.ipynb') })).toBe(false);
});

test('[APR7, AGT3] below a working folder that is a link no rule is offered, so that none given before covers the call', async () => {
  const linked = join(base, 'linked');
  await symlink(folder, linked);
  const call = { toolName: 'Write', args: { file_path: join(linked, 'src/a.ts') }, folder: linked, isEdit: true };
  expect(await isAsNamed(call.args)).toBe(false);
  expect(await offerSuggested([acceptEdits], call)).toEqual([]);
});

test('[APR7, AGT3] a call that names two files is neither offered a rule nor covered by one', async () => {
  const args = { notebook_path: join(base, 'a.ipynb'), file_path: join(folder, 'src/a.ts') };
  expect(await isAsNamed(args)).toBe(false);
  expect(await offer('NotebookEdit', args, [acceptEdits], true)).toEqual([]);
  expect(coversCall({ key: ['change', folder] }, args)).toBe(false);
});

test('[APR7, AGT3] a host is offered for its pages at the usual port', async () => {
  const fetching = (url: string) => offer('WebFetch', { url, prompt: 'x' }, [allow('WebFetch', 'domain:example.com')]);
  expect(await fetching('https://example.com/a?b')).toEqual(['fetching any page of `example.com`']);
  const others = [
    'https://example.com:8443/',
    'https://me@example.com/',
    'https://example.com.evil.test/',
    'ftp://example.com/',
  ];
  for (const url of others) expect(await fetching(url)).toEqual([]);
});

test('[APR7, AGT3] searching is offered as a whole; denials, other tools, folders and unknown shapes are not', async () => {
  expect(await offer('WebSearch', { query: 'x' }, [allow('WebSearch')])).toEqual(['searching the web for anything']);
  const suggestions = [
    allow('Bash'),
    allow('Bash', 'npm test *', { behavior: 'deny' }),
    allow('Read', '//etc/**'),
    { type: 'addDirectories', directories: ['/'], destination: 'session' },
    { type: 'setMode', mode: 'bypassPermissions', destination: 'session' },
    'Bash(npm test *)',
    null,
  ];
  expect(await offer('Bash', { command: 'npm test' }, suggestions)).toEqual([]);
});

test.each(['a\nb', 'a`b', 'a\u202eb'])(
  '[APR7, AGT3] a folder named %j is not offered: its words would lie',
  async (name) => {
    const odd = join(base, name);
    await mkdir(odd);
    await writeFile(join(odd, 'x'), '');
    expect(await offer('Read', { file_path: join(odd, 'x') }, [allow('Read', `/${odd}/**`)])).toEqual([]);
  },
);

test.each(['command', ['command'], [], ['other', 'x'], 'x'])('[APR7] an unknown rule covers nothing: %j', (key) => {
  expect(coversCall({ key: key as never }, { command: 'npm test' })).toBe(false);
});
