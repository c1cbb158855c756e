import { makeRequest } from '@parleyhq/client/testing';
import { expect, test } from 'vitest';
import { formatWait } from './time.ts';

const at = (ms: number) => new Date(ms).toISOString();
const now = 10_000_000;
const entry = (askedAt: number, expiresAt?: number) => ({
  sessionId: 's',
  askedAt: at(askedAt),
  interaction: makeRequest('c.1', expiresAt === undefined ? {} : { expiresAt: at(expiresAt) }),
});

test('[WEB6] a row shows how long its prompt can be answered, or how long it has waited', () => {
  expect(formatWait(entry(now - 28 * 60_000), now)).toBe('28m');
  expect(formatWait(entry(now, now + 4 * 60_000 + 1), now)).toBe('4m left');
  expect(formatWait(entry(now - 120_000, now + 3_600_000), now)).toBe('2m');
  expect(formatWait(entry(now, now + 59_000), now)).toBe('<1m left');
  expect(formatWait(entry(now, now), now)).toBe('time is up');
  expect(formatWait({ ...entry(now - 60_000, now - 1), pending: true }, now)).toBe('1m');
});
