import { afterEach, expect, test, vi } from 'vitest';
import { ClaudeSessions } from './claude-sessions.ts';

const use = (command: string, part: object = {}) => ({
  tool_name: 'Bash',
  tool_input: { command },
  cwd: '/projects/shop',
  permission_mode: 'auto',
  ...part,
});

afterEach(() => {
  vi.useRealTimers();
});

test('[ACP4] a pass counts for exactly one call: its agent, input, folder and mode', () => {
  const sessions = new ClaudeSessions();
  sessions.letPass('s', use('make'));
  for (const part of [{ agent_id: 'a' }, { tool_name: 'Run' }, { cwd: '/projects' }, { permission_mode: 'plan' }])
    expect(sessions.takePass('s', use('make', part))).toBe(false);
  expect(sessions.takePass('other', use('make'))).toBe(false);
  expect([sessions.takePass('s', use('make')), sessions.takePass('s', use('make'))]).toEqual([true, false]);
});

test('[ACP4] a pass ends after five minutes, and with the turn of its agent alone', () => {
  vi.useFakeTimers();
  const sessions = new ClaudeSessions();
  for (const command of ['late', 'in time']) sessions.letPass('s', use(command));
  sessions.letPass('s', use('of another', { agent_id: 'a' }));
  sessions.letPass('s', use('of the turn'));
  vi.advanceTimersByTime(5 * 60_000);
  expect(sessions.takePass('s', use('in time'))).toBe(true);
  sessions.stop('s', {}, 'ended');
  expect(sessions.takePass('s', use('of the turn'))).toBe(false);
  expect(sessions.takePass('s', use('of another', { agent_id: 'a' }))).toBe(true);
  sessions.letPass('s', use('late'));
  vi.advanceTimersByTime(5 * 60_000 + 1);
  expect(sessions.takePass('s', use('late'))).toBe(false);
});

test('[ACP4, SEC6] of more passes than a session may have, the newest count', () => {
  const sessions = new ClaudeSessions();
  for (let n = 0; n <= 100; n += 1) sessions.letPass('s', use(`${n}`));
  expect([0, 1, 100].map((n) => sessions.takePass('s', use(`${n}`)))).toEqual([false, true, true]);
});
