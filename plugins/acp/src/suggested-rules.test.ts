import { expect, test } from 'vitest';
import { coversAgentCall, suggestAgentCalls } from './suggested-rules.ts';

const run = (input: unknown, toolName = 'execute') => ({ toolName, args: { title: 'Run', input } });

test('[LESS2, ACP1] commands with one beginning are suggested in its words, and it covers them alone', () => {
  const [rule, ...others] = suggestAgentCalls([
    run({ command: 'npm test' }),
    run({ command: 'npm test a', description: 'x' }),
  ]);
  expect(rule).toMatchObject({
    label:
      'single commands that begin with `npm test`, with options known to be harmless and no path out of the folder',
    scopes: ['session'],
  });
  expect(others).toEqual([]);
  expect(coversAgentCall(rule as never, run({ command: 'npm test b' }).args)).toBe(true);
  for (const input of [
    { command: 'npm test; rm x' },
    { command: 'npm test', cwd: '/' },
    { command: 3 },
    undefined,
    'npm test',
  ])
    expect(coversAgentCall(rule as never, run(input).args), JSON.stringify(input)).toBe(false);
});

test('[LESS2, ACP1] nothing is suggested for other calls', () => {
  for (const call of [
    run({ command: 'npm test' }, 'edit'),
    run({ command: 'rm x' }),
    run({ command: 'npm run deploy' }),
    run({ command: 'npm test', cwd: '/' }),
    run(undefined),
  ])
    expect(suggestAgentCalls([call])).toEqual([]);
});

test('[LESS2, ACP1] a rule for commands covers no call that names places', () => {
  const args = (more: object) => ({ title: 'npm test', input: { command: 'npm test' }, ...more });
  const [rule] = suggestAgentCalls([{ toolName: 'execute', args: args({}) }]);
  expect(coversAgentCall(rule!, args({ locations: [{ path: '/etc' }] }))).toBe(false);
});
