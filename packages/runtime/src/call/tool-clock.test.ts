import { expect, test, vi } from 'vitest';
import { ToolClock } from './tool-clock.ts';

test("[PLG4, OPS7] a tool's own time is paused while it waits for people", () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  try {
    const onElapsed = vi.fn();
    const clock = new ToolClock(1000, onElapsed);
    vi.advanceTimersByTime(300);
    clock.pause();
    clock.pause(); // two questions at a time
    vi.advanceTimersByTime(60_000);
    clock.resume();
    vi.advanceTimersByTime(60_000);
    expect(clock.usedMs).toBe(300);
    clock.resume();
    vi.advanceTimersByTime(200);
    expect(clock.usedMs).toBe(500);
    vi.advanceTimersByTime(499);
    expect(onElapsed).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onElapsed).toHaveBeenCalledOnce();
  } finally {
    vi.useRealTimers();
  }
});
