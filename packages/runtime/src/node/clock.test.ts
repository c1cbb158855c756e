import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { longestTimerMs, systemClock } from './clock.ts';

describe('the clock of the system', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
  afterEach(() => vi.useRealTimers());

  test('[INT9] a wait that exceeds one timer ends in time, and once', () => {
    const run = vi.fn();
    systemClock.after(3 * longestTimerMs + 5, run);
    vi.advanceTimersByTime(3 * longestTimerMs + 4);
    expect(run).not.toHaveBeenCalled();
    vi.advanceTimersByTime(longestTimerMs);
    expect(run).toHaveBeenCalledOnce();
  });

  test('[INT9] a wait may be cancelled in any of its timers', () => {
    const run = vi.fn();
    const cancel = systemClock.after(2 * longestTimerMs, run);
    vi.advanceTimersByTime(longestTimerMs + 1);
    cancel();
    vi.advanceTimersByTime(2 * longestTimerMs);
    expect(run).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('[INT10] a moment that has passed comes at once', () => {
    const run = vi.fn();
    systemClock.after(-5, run);
    vi.advanceTimersByTime(0);
    expect(run).toHaveBeenCalledOnce();
  });
});
