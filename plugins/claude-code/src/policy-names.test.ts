import { expect, test } from 'vitest';
import { policyNames } from './policy-names.ts';

const bash = (command: string) => policyNames('Bash', { command });

test.each([
  'git push origin',
  'cd shop && git push origin',
  'cd shop; git  push origin | tee log',
  'FORCE=1 sudo git push origin',
  '/usr/bin/git push origin',
  '/usr/bin/sudo -E -u root git push origin',
  'timeout 60 git push origin',
  'SSH="ssh -i key" A=\'b c\' git push origin',
  'git \\\n  push origin',
  'git pu\\\nsh origin',
  '\\git push origin',
  '\\/usr/bin/git push origin',
  '>/dev/null git push origin',
  '2>> log <input git push origin',
  '&>/dev/null git push origin',
  'sudo -g wheel git push origin',
  'env -C /tmp -u HOME git push origin',
  'doas setsid git push origin',
  'builtin command git push origin',
  'case a in a) git push origin;; esac',
  'f() { git push origin; }; f',
  'diff <(git push origin) x',
  'until git push origin; do sleep 1; done',
  'while ! git push origin; do sleep 1; done',
  'if true\nthen git push origin; fi',
  '(git push origin)',
  'echo "$(git push origin)"',
])('[ACP4] %s is found as a git push', (command) => {
  expect(bash(command)).toContain('Bash(git push origin)');
});

test('[ACP4] a call is found by its tool, and a command by its whole line', () => {
  expect(bash('make all && make deploy')).toEqual([
    'Bash',
    'Bash(make all && make deploy)',
    'Bash(make all)',
    'Bash(make deploy)',
  ]);
  expect(policyNames('Edit', { file_path: '/etc/hosts', old_string: 'a' })).toEqual(['Edit', 'Edit(/etc/hosts)']);
  expect(policyNames('mcp__shop__refund', { amount: 5 })).toEqual(['mcp__shop__refund']);
  expect(policyNames('Bash', { command: 7 })).toEqual(['Bash']);
});

test.each([
  ['Write', { file_path: '/tmp/../etc/hosts' }, 'Write(/etc/hosts)'],
  ['Write', { file_path: '//etc/./hosts' }, 'Write(/etc/hosts)'],
  ['Write', { file_path: '../../etc/hosts' }, 'Write(/etc/hosts)'],
  ['NotebookEdit', { notebook_path: 'a.ipynb' }, 'NotebookEdit(/projects/shop/a.ipynb)'],
  ['Write', { file_path: '../../etc/hosts' }, 'Write(../../etc/hosts)'],
  ['WebFetch', { url: 'HTTPS://A.example/b/../c' }, 'WebFetch(https://a.example/c)'],
  ['WebFetch', { url: 'a.example' }, 'WebFetch(a.example)'],
])('[ACP4] %s of %j is found as %s', (tool, args, name) => {
  expect(policyNames(tool, args, '/projects/shop')).toContain(name);
});

test('[ACP4, SEC6] a long line of many commands is read in linear time', () => {
  expect(bash('VAR=x '.repeat(100_000))).toHaveLength(3);
  expect(bash('a;'.repeat(500_000))).toHaveLength(3);
  expect(bash('1 '.repeat(2_000_000))).toHaveLength(3);
  expect(bash('>'.repeat(2_000_000))).toHaveLength(2);
  expect(bash('>a '.repeat(1_000_000))).toHaveLength(3);
  expect(bash(`A=${'"a"'.repeat(500_000)}"x y`)).toHaveLength(3);
});
