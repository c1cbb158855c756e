import { expect, test } from 'vitest';
import { reckonReturn } from './delay.ts';
import { Snoozed } from './snooze.ts';

function makeStorage(text?: string) {
  const kept = new Map(text === undefined ? [] : [['parley.snoozed', text]]);
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  };
}

const noon = new Date(2026, 2, 1, 12).getTime();
const hour = 3_600_000;

test('[WEB8] a postponed prompt returns in an hour or next morning, and while half of its time or an hour is left', () => {
  expect(reckonReturn('hour', noon, undefined)).toBe(noon + hour);
  expect(new Date(reckonReturn('tomorrow', noon, undefined)).toString()).toBe(new Date(2026, 2, 2, 8).toString());
  expect(reckonReturn('hour', noon, 10 * hour)).toBe(noon + hour);
  expect(reckonReturn('hour', noon, hour)).toBe(noon + hour / 2);
  expect(reckonReturn('tomorrow', noon, 4 * hour)).toBe(noon + 3 * hour);
  expect(new Date(reckonReturn('tomorrow', noon, 24 * hour)).getHours()).toBe(8); // questions have a day by default
});

test('[WEB8] a postponed prompt stays so after a reload, until it is due or brought back', () => {
  const storage = makeStorage();
  new Snoozed(storage).snooze('a', noon + hour, noon);
  const book = new Snoozed(storage);
  book.snooze('b', noon + 2 * hour, noon);
  expect([book.untilOf('a', noon), book.untilOf('a', noon + hour), book.untilOf('c', noon)]).toEqual([
    noon + hour,
    undefined,
    undefined,
  ]);
  expect([book.next(noon), book.next(noon + hour), book.next(noon + 2 * hour)]).toEqual([
    noon + hour,
    noon + 2 * hour,
    undefined,
  ]);
  book.wake('b');
  expect(new Snoozed(storage).next(noon + hour)).toBeUndefined();
  book.snooze('c', noon + 3 * hour, noon + hour);
  expect(JSON.parse(storage.getItem('parley.snoozed') ?? '')).toEqual([['c', noon + 3 * hour]]);
});

test.each(['', '{"a":1}', 'null'])('[WEB4] foreign content of the storage postpones nothing: %s', (text) => {
  expect(new Snoozed(makeStorage(text)).next(noon)).toBeUndefined();
});
