import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { coversCall, suggestCallRules } from './call-rules.ts';

const withFiles = { withFiles: true };
const suggest = (tool: string, ...calls: object[]) => suggestCallRules(tool, calls as never[], withFiles);
const bash = (...commands: string[]) => suggest('Bash', ...commands.map((command) => ({ command })));

test.each<[string, readonly object[], string]>([
  [
    'Bash',
    [{ command: 'npm test' }, { command: 'npm test a', description: 'x' }],
    'single Bash commands that begin with `npm test`, with options known to be harmless and no path out of the folder',
  ],
  [
    'Read',
    [{ file_path: '/projects/shop/src/a.ts' }, { file_path: '/projects/shop/b.ts', limit: 3 }],
    'reading any file in `/projects/shop` and the folders in it, except hidden ones',
  ],
  [
    'Edit',
    [{ file_path: '/projects/shop/src/a.ts', old_string: 'a' }],
    'changing any file with this tool in `/projects/shop/src` and the folders in it, except hidden ones',
  ],
  [
    'NotebookEdit',
    [{ notebook_path: '/projects/shop/n.ipynb' }],
    'changing any file with this tool in `/projects/shop` and the folders in it, except hidden ones',
  ],
  [
    'WebFetch',
    [{ url: 'https://docs.acme.dev/a', prompt: 'x' }, { url: 'https://docs.acme.dev/b' }],
    'fetching any page of `docs.acme.dev`',
  ],
  ['WebSearch', [{ query: 'a' }, { query: 'b' }], 'searching the web for anything'],
])('[LESS2] for %s the narrowest rule is suggested, in exact words', (tool, calls, label) => {
  const [rule, ...others] = suggest(tool, ...calls);
  expect(rule).toMatchObject({ label, scopes: ['session'] });
  expect(others).toEqual([]);
  for (const args of calls) {
    expect(coversCall(rule as never, tool, args as never)).toBe(true);
    expect(coversCall(rule as never, 'Other', args as never)).toBe(false);
    expect(coversCall(rule as never, tool, { ...args, dangerouslyDisableSandbox: true } as never)).toBe(
      ['Edit', 'NotebookEdit'].includes(tool),
    );
  }
});

test.each<[string, readonly object[]]>([
  ['Bash', [{ command: 'rm x' }]],
  ['Bash', [{ command: 'npm run deploy' }, { command: 'npm run deploy -- --all' }]],
  ['Bash', [{ command: 'echo done' }]],
  ['Bash', [{ command: 'npm test --no-script-shell=/tmp/x' }]],
  ['Bash', [{ command: 'npm test' }, { command: 'npm run lint' }]],
  ['Bash', [{ command: 'npm test', run_in_background: true }]],
  ['Bash', [{ command: ['npm', 'test'] }]],
  ['Read', [{ file_path: '/etc/passwd' }]],
  ['Read', [{ file_path: 'a/b/c/d' }]],
  ['Read', [{ file_path: '/projects/shop/../other/a' }]],
  ['Read', [{ file_path: '/projects/shop/.ssh/id' }]],
  ['Write', [{ file_path: '/projects/a' }, { file_path: '/other/b' }]],
  ['WebFetch', [{ url: 'https://a.test/' }, { url: 'https://b.test/' }]],
  ['WebFetch', [{ url: 'https://user:word@a.test/' }]],
  ['WebFetch', [{ url: 'file:///etc/passwd' }]],
  ['mcp__x__y', [{ a: 1 }]],
])('[LESS2] for %s with %j nothing is suggested', (tool, calls) => {
  expect(suggest(tool, ...calls)).toEqual([]);
});

test('[LESS2] no rule for files is suggested where links cannot be seen', () => {
  expect(suggestCallRules('Read', [{ file_path: '/projects/shop/src/a.ts' }], { withFiles: false })).toEqual([]);
});

test('[LESS2] a folder covers what is in it, and nothing by another path', () => {
  const [rule] = suggest('Read', { file_path: '/projects/shop/a' });
  const isCovered = (file_path: unknown) => coversCall(rule as never, 'Read', { file_path });
  expect(isCovered('/projects/shop/deep/er/b')).toBe(true);
  for (const path of [
    '/projects/shop',
    '/projects/shop/',
    '/projects/shopping/a',
    '/projects/shop/../x',
    '/projects/shop//a',
    '/projects/shop/./a',
    '/projects/shop/.env',
    '/projects/shop/.git/config',
    undefined,
  ])
    expect(isCovered(path), String(path)).toBe(false);
});

test.each(['NotebookEdit', 'Edit', 'Write'])('[APR7] of %s, a rule covers no call that names two files', (tool) => {
  const [own, other] = tool === 'NotebookEdit' ? ['notebook_path', 'file_path'] : ['file_path', 'notebook_path'];
  const [rule] = suggest(tool, { [own as string]: '/projects/shop/a' });
  expect(coversCall(rule as never, tool, { [own as string]: '/projects/shop/b' })).toBe(true);
  for (const paths of [
    { [own as string]: '/projects/ann/x', [other as string]: '/projects/shop/b' },
    { [own as string]: '/projects/shop/b', [other as string]: null },
  ]) {
    expect(coversCall(rule as never, tool, paths)).toBe(false);
    expect(suggest(tool, paths)).toEqual([]);
  }
});

describe('random commands', () => {
  const syntax = fc.constantFrom(
    ';',
    '&&',
    '|',
    '>',
    '<',
    '$(',
    '`',
    '$x',
    '\n',
    '*',
    '\\',
    '~',
    '{a,b}',
    '\u200b',
    '#',
    '!',
    "'",
    '"',
    '--script-shell=x',
    '--',
    '--require',
    '--config=x',
    '--prefix',
    '/tmp/x',
    '../x',
  );
  const command = fc
    .array(fc.oneof(fc.stringMatching(/^[a-z0-9./=-]{1,8}$/), syntax, fc.string({ unit: 'grapheme', maxLength: 4 })), {
      maxLength: 6,
    })
    .map((parts) => `npm test ${parts.join(' ')}`);

  test('[LESS2] a suggested prefix covers only the program with plain or quoted arguments', () => {
    const [rule] = bash('npm test');
    fc.assert(
      fc.property(command, (text) => {
        const isCovered = coversCall(rule as never, 'Bash', { command: text });
        const bare = text.replace(/'[^']*'|"[^"$`\\!]*"/g, '');
        if (isCovered) {
          expect(bare).toMatch(/^[\w%+=,./ \t-]+$/);
          const named = text.replace(/'\s[^']*'|"\s[^"]*"/g, ''); // a quoted blank begins neither an option nor a path outside
          expect(named).not.toMatch(/ \/|\.\.|--(require|config|prefix)/); // no path out of the folder, nothing loaded
        }
        expect(bash(text).length).toBe(isCovered ? 1 : 0);
      }),
      { numRuns: 10_000 },
    );
  });
});
