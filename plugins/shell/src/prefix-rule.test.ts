import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isCoveredBy, isKnown, offerPrefix, suggestPrefix } from './prefix-rule.ts';
import { readSimpleCommand } from './simple-command.ts';

const folder = '/project/app';
const offer = (command: string) => offerPrefix({ command, folder })[0];
const ruleOf = (command: string) => {
  const rule = offer(command);
  if (!rule) throw new Error(`"${command}" offers no rule`);
  return rule;
};
const isCovered = (rule: string, command: string) => isCoveredBy(ruleOf(rule), { command, folder });

test('[APR7] a simple command of a known program offers its prefix, in words', () => {
  expect(offer('npm test')).toEqual({
    id: 'prefix',
    label: '`npm test` with options known to be harmless and no path out of the folder, in /project/app',
    key: ['run_command', '/project/app', 'npm', 'test'],
    scopes: ['session'],
  });
  expect(offer('npm run lint -- --fix')?.label).toMatch(/^`npm run lint` with options known/);
  expect(offer('ls -la src')?.label).toMatch(/^`ls` with any arguments/);
  expect(offer('git status --short')?.label).toMatch(
    /^`git status` with any arguments except options that run programs or write files, in/,
  );
});

test.each([
  'npm test',
  'npm test --silent',
  'npm  test \'one two\' "three"',
  'npm test -- src/a.test.ts -u',
  '"npm" te\'st\'',
])('[APR7] a rule for `npm test` covers %j', (command) => expect(isCovered('npm test', command)).toBe(true));

test('[APR7] a prefix covers no other folder, program or script', () => {
  expect(isCoveredBy(ruleOf('npm test'), { command: 'npm test', folder: '/project/other' })).toBe(false);
  for (const command of [
    'npm run test',
    'npm testing',
    'npm install',
    'npm',
    'pnpm test',
    '/tmp/npm test',
    './npm test',
  ])
    expect(isCovered('npm test', command), command).toBe(false);
  expect(isCovered('npm run lint', 'npm run deploy')).toBe(false);
});

/** Commands with which a shell would do more than pass on words, or that would start another program. */
const dangerous = [
  ...['npm test; rm -rf /', 'npm test && rm x', 'npm test || rm x', 'npm test | sh', 'npm test & rm x', 'npm test &'],
  ...[
    'npm test $(rm x)',
    'npm test `rm x`',
    'npm test "$(rm x)"',
    'npm test <(rm x)',
    'npm test $HOME',
    `npm test $${'{x:-y}'}`,
  ],
  ...[
    'npm test > /etc/passwd',
    'npm test >> f',
    'npm test < f',
    'npm test 2>&1',
    'npm test <<< x',
    'npm test << E\nrm\nE',
  ],
  ...[
    'npm test\nrm x',
    'npm test\r\nrm x',
    'npm test \\\nx',
    'npm test # rm',
    'npm test \u2028rm x',
    'npm test\u00a0x',
    'npm tеst',
  ],
  ...[
    'PATH=/tmp npm test',
    'env npm test',
    'command npm test',
    'exec npm test',
    'nohup npm test',
    'time npm test',
    '! npm test',
  ],
  ...[
    'npm test *',
    'npm test ?',
    'npm test [a-z]',
    'npm test {a,b}',
    'npm test ~root',
    "npm test $'\\n'",
    'npm test a\\;b',
  ],
  ...[
    "npm test 'open",
    'npm test "open',
    'npm test `open',
    'npm test $(',
    '(npm test)',
    '{ npm test; }',
    'if npm test; then x; fi',
  ],
  ...[
    'npm test --script-shell=/tmp/x',
    'npm test --script-sh /tmp/x',
    "npm test '--script-shell' x",
    'npm --prefix /tmp test',
  ],
  ...[
    'npm test --prefix /tmp',
    'npm test --node-options=--require=/tmp/x',
    'npm() { rm x; }',
    'function npm { rm x; }',
  ],
  ...[
    'npm test --no-script-shell=/tmp/x', // npm takes the value of a negated option, too
    'npm test --no-script-shell /tmp/x',
    'npm test --no-no-script-shell=/tmp/x',
    'npm test --No-script-sh /tmp/x',
    'npm test -no-prefix /tmp',
    'npm test --logs-dir=/tmp',
    'npm test --onload-script=/tmp/x',
  ],
  ...[
    'npm test --flag=$(rm x)',
    'npm test --flag="$(rm x)"',
    'npm test --flag=`rm x`',
    `npm test "$${'{IFS}x'}"`,
    'npm test $((1))',
    'npm test x{1..3}',
    'npm test +(a|b)',
    'npm test "$@"',
    'npm test "a\\`id`"',
  ],
  ...[
    'npm test |& sh',
    'npm test &> f',
    'npm test >| f',
    'npm test <> f',
    'npm test 3>f',
    'npm test {fd}>f',
    'npm test >(sh)',
    'npm test >&2',
    'A=$(rm x) npm test',
    'A+=1 npm test',
    'coproc npm test',
    '[[ npm test ]]',
    'xargs npm test',
  ],
  ...[
    'npm test\rrm x',
    'npm test\tx',
    'npm test\vx',
    'npm test\u0085rm x',
    'npm test\u2003x',
    'npm test\u3000x',
    'npm\u00adtest',
    'npm te\\st',
    "$'npm' test",
    '$"npm" test',
    '!! npm test',
    'npm test ^a^b',
  ],
];

test.each(dangerous)('[APR7] %j offers no rule and is covered by none', (command) => {
  expect(offer(command)).toBeUndefined();
  expect(isCovered('npm test', command)).toBe(false);
});

test.each([
  ...[
    'env ls',
    'xargs rm',
    'find . -exec rm {} +',
    'find . -delete',
    'sudo ls',
    'sh -c ls',
    'bash x',
    'eval ls',
    'exec ls',
  ],
  ...[
    'nohup ls',
    'time ls',
    'python -c x',
    'node -e x',
    'perl -e x',
    'ruby -e x',
    'ssh host ls',
    'awk x',
    'sed e',
    'tar x',
  ],
  ...[
    'git -c alias.status=!sh status',
    'git push',
    'git diff --output=f',
    'git diff --ext-diff',
    'git --exec-path=/tmp status',
    'git -c core.pager=!sh log',
    'git -c core.fsmonitor=/tmp/x status',
    'git -C /tmp status',
    'git --git-dir=/tmp/evil status',
    'git -p log',
    'git log --outpu=f',
    'git "-c" core.pager=x log',
  ],
  ...[
    'npx x',
    'npm exec x',
    'npm run',
    'npm run --script-shell=x lint',
    'yarn test --use-yarnrc /tmp/evil.yarnrc',
    'yarn run lint --yarn-path=/tmp/evil.js',
    'cargo test --config x',
    'make',
    'docker run x',
    'rm x',
  ],
  ...[
    'nice ls',
    'timeout 1 ls',
    'busybox ls',
    'doas ls',
    'watch ls',
    'script x',
    'flock f ls',
    '. x',
    'source x',
    'alias ls=rm',
  ],
])('[APR7] %j may run other programs or do more than it shows, and offers no rule', (command) => {
  expect(offer(command)).toBeUndefined();
});

const suggest = (...commands: string[]) => suggestPrefix(commands.map((command) => ({ command, folder })));

test('[LESS2] the prefix that all commands have in common is suggested, and else nothing', () => {
  expect(suggest('npm test', 'npm test -- -u', 'npm "test" a')).toEqual([ruleOf('npm test')]);
  for (const commands of [
    [],
    ['npm test', 'npm run lint'],
    ['npm test', 'npm test; rm x'],
    ['rm x'],
    ['npm run deploy'],
  ])
    expect(suggest(...commands), commands.join()).toEqual([]);
  expect(isKnown({ command: 'echo a' })).toBe(false);
  const elsewhere = { command: 'npm test', folder: '/project/other' };
  expect(suggestPrefix([{ command: 'npm test', folder }, elsewhere])).toEqual([]);
});

test.each(dangerous)('[LESS2] %j is high risk, and nothing is suggested for it', (command) => {
  expect(isKnown({ command })).toBe(false);
  expect(suggest(command)).toEqual([]);
  expect(suggest('npm test', command)).toEqual([]);
});

describe('random commands', () => {
  const plain = fc.stringMatching(/^[a-z][a-z0-9./=-]{0,8}$/);
  const syntax = fc.constantFrom(
    ...[';', '&&', '||', '|', '&', '>', '>>', '<', '<<', '<<<', '$(', ')', '`', '$x', '${', '}', '(', '\n', '\r', '\0'],
    ...["'", '"', '\\', '*', '?', '[', ']', '{', '~', '!', '#', '\u00a0', '\u200b', '\u2028', '；', '$', "$'"],
    ...['env', 'xargs', 'find -exec', 'A=1', 'sh -c', 'sudo', 'eval', 'exec', '--script-shell=x'],
    ...[
      '--',
      ' -- ',
      '--require x',
      '-r x',
      '--config=x',
      '-c',
      '--prefix',
      '/tmp/x',
      '../x',
      '=/x',
      "'~/x'",
      '-t',
      '--fix',
    ],
  );
  const glue = fc.constantFrom('', ' ', '\t', '  ');
  const command = fc
    .array(fc.tuple(fc.oneof(plain, syntax, fc.string({ unit: 'grapheme', maxLength: 6 })), glue), { maxLength: 8 })
    .chain((parts) => {
      const tail = parts.map(([part, space]) => part + space).join('');
      return fc.constantFrom(`npm test ${tail}`, `npm test${tail}`, `${tail}npm test`, `${tail} npm test x`);
    });

  test('[APR7] a rule covers only single commands that consist of the prefix and plain arguments', () => {
    fc.assert(
      fc.property(command, (text) => {
        if (!isCovered('npm test', text)) return;
        const words = readSimpleCommand(text) ?? [];
        expect(words.slice(0, 2)).toEqual(['npm', 'test']);
        for (const word of words) {
          expect(word).not.toMatch(/^\/|^-[^=]?\/|=\/|\.\.|~/); // no path out of the folder
          expect(word).not.toMatch(/^--?(req|conf|prefix)|^-[cr]/);
        }
        expect(unquoted(text)).not.toMatch(/[^\w@%+=:,./ \t-]/);
      }),
      { numRuns: 20_000 },
    );
  });

  test('[LESS2] what is suggested for random commands covers each of them, and each is a plain one', () => {
    fc.assert(
      fc.property(fc.array(command, { minLength: 1, maxLength: 3 }), (commands) => {
        for (const rule of suggest(...commands)) {
          for (const text of commands) {
            expect(isCoveredBy(rule, { command: text, folder })).toBe(true);
            expect(unquoted(text)).not.toMatch(/[^\w@%+=:,./ \t-]/);
          }
        }
      }),
      { numRuns: 10_000 },
    );
  });

  test('[APR7] a command with dangerous text outside of quotes is never covered', () => {
    const piece = fc.constantFrom(
      ';',
      '&',
      '|',
      '>',
      '<',
      '$(x)',
      '`x`',
      '$x',
      '\n',
      '*',
      '?',
      '\\',
      '~',
      '{a,b}',
      '\u200b',
    );
    fc.assert(
      fc.property(
        fc.array(plain, { maxLength: 4 }),
        piece,
        fc.array(plain, { maxLength: 4 }),
        glue,
        (before, it, after, space) => {
          const text = `npm test ${before.join(' ')}${space}${it}${space}${after.join(' ')}`;
          expect(isCovered('npm test', text)).toBe(false);
        },
      ),
      { numRuns: 5000 },
    );
  });
});

/** Returns the text without its quoted parts, by the rules of POSIX and without the parser under test. */
function unquoted(text: string): string {
  let quote = '';
  let rest = '';
  for (const character of text) {
    if (quote === '' && (character === "'" || character === '"')) quote = character;
    else if (character === quote) quote = '';
    else if (quote === '') rest += character;
    else if (quote === '"' && /[$`\\]/.test(character)) rest += character; // these are special within double quotes, too
  }
  return quote === '' ? rest : `${rest};`;
}
