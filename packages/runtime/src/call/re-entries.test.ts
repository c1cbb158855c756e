import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ReEntries } from './re-entries.ts';

let steady: number;
let reEntries: ReEntries;

beforeEach(() => {
  vi.useFakeTimers();
  steady = 0;
  reEntries = new ReEntries({ steadyMs: 10_000, onSteady: () => (steady += 1) });
});
afterEach(() => {
  reEntries.stop();
  vi.useRealTimers();
});

/** Work that ends when `end` is called. */
function job() {
  let end = () => {};
  const until = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { until, end: () => end() };
}

/** Asks to be entered, and notes when it is. */
function pass(name: string, noted: string[], isSuspect = false): Promise<() => void> {
  return reEntries.pass(isSuspect).then((end) => {
    noted.push(name);
    return end;
  });
}

const settle = () => vi.advanceTimersByTimeAsync(0);

test('[DUR10] at most eight calls are entered in the background at once, nearest deadline first, once the server is ready', async () => {
  const jobs = Array.from({ length: 12 }, job);
  const begun: number[] = [];
  for (const [n, { until }] of jobs.entries())
    reEntries.later(100 - n, () => {
      begun.push(n);
      return until;
    });
  reEntries.begin(false);
  await settle();
  expect(begun).toEqual([]);
  reEntries.open();
  expect(begun).toEqual([11, 10, 9, 8, 7, 6, 5, 4]);
  expect(reEntries.left).toBe(12);
  jobs[11]?.end();
  await settle();
  expect(begun.at(-1)).toBe(3);
  expect(reEntries.left).toBe(11);
});

test('[DUR10] in an ordinary start every call that needs its code is entered at once', async () => {
  reEntries.begin(false);
  const noted: string[] = [];
  void pass('a', noted);
  void pass('b', noted);
  await settle();
  expect(noted).toEqual([]);
  reEntries.open();
  await settle();
  expect(noted).toEqual(['a', 'b']);
});

test('[DUR6] in a careful start each call is entered alone until it waits again or has ended, suspects first', async () => {
  reEntries.begin(true);
  const noted: string[] = [];
  const first = pass('a', noted);
  void pass('b', noted);
  void pass('suspect', noted, true);
  reEntries.open();
  await settle();
  expect(noted).toEqual(['a']);
  (await first)();
  await settle();
  expect(noted).toEqual(['a']); // the call may still end the server: no other must be blamed for that
  await vi.advanceTimersByTimeAsync(10_000);
  expect(noted).toEqual(['a', 'suspect']);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(noted).toEqual(['a', 'suspect', 'b']); // a long-running one does not hold up the others
});

test('[DUR6] ten seconds after the last entry the start has survived and becomes an ordinary one', async () => {
  reEntries.begin(true);
  reEntries.open();
  await vi.advanceTimersByTimeAsync(9000);
  (await reEntries.pass(false))();
  await vi.advanceTimersByTimeAsync(9000);
  expect([reEntries.isCareful, steady]).toEqual([true, 0]);
  await vi.advanceTimersByTimeAsync(1000);
  expect([reEntries.isCareful, reEntries.isCarefulStart, steady]).toEqual([false, true, 1]);
});
