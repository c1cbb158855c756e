import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Deadlines } from './deadline-heap.ts';

const day = 24 * 3_600_000;

describe('Deadlines', () => {
  let due: string[];
  let deadlines: Deadlines;
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000_000 });
    due = [];
    deadlines = new Deadlines((key) => due.push(key));
  });
  afterEach(() => {
    deadlines.stop();
    vi.useRealTimers();
  });

  const set = (key: string, inMs: number) => deadlines.set(key, Date.now() + inMs, inMs);

  test('[INT10] deadlines come due in order, whatever order they were set in', () => {
    const times = Array.from({ length: 500 }, (_, n) => (n * 7919) % 1009);
    for (const [n, ms] of times.entries()) set(`${n}`, ms);
    vi.advanceTimersByTime(2000);
    const order = due.map((key) => times[Number(key)]);
    expect(order).toEqual([...times].sort((a, b) => a - b));
  });

  test('[INT10] no deadline comes due early, and one timer serves all', () => {
    set('b', 200);
    set('a', 100);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(99);
    expect(due).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(due).toEqual(['a']);
    vi.advanceTimersByTime(100);
    expect(due).toEqual(['a', 'b']);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('[INT10] a moved deadline comes due once, a deleted one never', () => {
    set('moved', 100);
    set('moved', 300);
    set('nearer', 500);
    set('nearer', 50);
    set('gone', 100);
    deadlines.delete('gone');
    vi.advanceTimersByTime(250);
    expect(due).toEqual(['nearer']);
    vi.advanceTimersByTime(1000);
    expect(due).toEqual(['nearer', 'moved']);
  });

  test('[INT9] thirty days exceed the range of a timer, and still do not come due at once', () => {
    set('late', 30 * day);
    vi.advanceTimersByTime(29 * day);
    expect(due).toEqual([]);
    vi.advanceTimersByTime(day);
    expect(due).toEqual(['late']);
  });

  test('[INT10] a deadline in the past comes due at once, and may be set again', () => {
    const again = new Deadlines((key) => {
      due.push(key);
      if (due.length < 3) again.set(key, Date.now() + 10, 10);
    });
    again.set('key', Date.now() - 5000, -5000);
    vi.advanceTimersByTime(0);
    expect(due).toEqual(['key']);
    vi.advanceTimersByTime(100);
    expect(due).toEqual(['key', 'key', 'key']);
    again.stop();
  });

  test('[INT10] thousands of deleted deadlines leave the others in order', () => {
    for (let n = 0; n < 5000; n += 1) set(`${n}`, 10_000 - n);
    for (let n = 0; n < 5000; n += 1) if (n % 1000 > 0) deadlines.delete(`${n}`);
    set('soon', 10);
    vi.advanceTimersByTime(20_000);
    expect(due).toEqual(['soon', '4000', '3000', '2000', '1000', '0']);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('[INT10] setting the clock moves neither pending deadlines nor later ones', () => {
    set('long', 1000);
    vi.setSystemTime(Date.now() + day);
    set('short', 100);
    vi.advanceTimersByTime(100);
    expect(due).toEqual(['short']);
    vi.setSystemTime(Date.now() - 2 * day);
    set('later', 1500);
    vi.advanceTimersByTime(900);
    expect(due).toEqual(['short', 'long']);
    vi.advanceTimersByTime(600);
    expect(due).toEqual(['short', 'long', 'later']);
  });

  test('no deadline comes due after a stop', () => {
    set('a', 100);
    deadlines.stop();
    vi.advanceTimersByTime(1000);
    expect(due).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
