import { describe, expect, test } from 'vitest';
import { endOfQuiet } from './quiet-hours.ts';

const at = (time: string) => Date.parse(`2026-03-02T${time}:00.000Z`);
const night = { from: '22:00', to: '07:30', timeZone: 'UTC' };
const show = (instant: number) => new Date(instant).toISOString().slice(5, 16);

describe('[NTF1] quiet hours', () => {
  test.each([
    ['21:59', '03-02T21:59'],
    ['22:00', '03-03T07:30'],
    ['23:45', '03-03T07:30'],
    ['00:00', '03-02T07:30'],
    ['07:29', '03-02T07:30'],
    ['07:30', '03-02T07:30'],
    ['12:00', '03-02T12:00'],
  ])('over midnight, at %s: %s', (now, end) => {
    expect(show(endOfQuiet(night, at(now)))).toBe(end);
  });

  test('follow the clock of their time zone', () => {
    expect(show(endOfQuiet({ ...night, timeZone: 'Asia/Kolkata' }, at('17:00')))).toBe('03-03T02:00'); // 22:30 to 07:30 there
    expect(show(endOfQuiet({ ...night, timeZone: 'Asia/Kolkata' }, at('02:00')))).toBe('03-02T02:00');
  });

  test('there are none if unset, or if they end when they begin', () => {
    expect(endOfQuiet(undefined, at('23:00'))).toBe(at('23:00'));
    expect(endOfQuiet({ ...night, to: '22:00' }, at('22:00'))).toBe(at('22:00'));
  });
});
