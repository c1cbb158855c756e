import { coversCall, suggestCallRules } from '@parleyhq/claude-tools';
import { expect, test } from 'vitest';
import { isCoveredBy, suggestPrefix } from './prefix-rule.ts';

const folder = '/p/a';
test.each([
  ['cargo clippy', 'cargo clippy -- --codegen linker=/tmp/evil --emit=link=/tmp/o'],
  ['npm test', 'npm test --cache=/home/ann/.ssh'],
  ['cargo clippy', 'cargo clippy --fix --allow-dirty'],
  ['cargo clippy', 'cargo clippy -- @/tmp/flags'],
  ['cargo build', 'cargo build --target /tmp/evil.json'],
  ['cargo test', 'cargo test -- --logfile=/home/ann/.bashrc'],
  ['npm run lint', 'npm run lint --foo=bar'],
  ['yarn test', 'yarn test --modules-folder=/tmp/x'],
  ['git log', 'git log --show-signature'],
])('[APR7, LESS2] %s must not cover %s', (allowed, command) => {
  const [rule] = suggestPrefix([{ command: allowed, folder }]);
  const [bash] = suggestCallRules('Bash', [{ command: allowed }], { withFiles: true });
  expect.soft(isCoveredBy(rule as never, { command, folder })).toBe(false);
  expect.soft(coversCall(bash as never, 'Bash', { command })).toBe(false);
});

test.each(['/p/a`, and all in `/etc', '/p/a\nb', '/p/\u202ecba'])(
  '[LESS2, APR7] no rule is offered in words that cannot be read: %j',
  (folder) => {
    expect(suggestPrefix([{ command: 'npm test', folder }])).toEqual([]);
  },
);
