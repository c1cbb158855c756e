import type { Instant } from '@parleyhq/core';
import { longestTimerMs } from './longest-timer.ts';

/** Runs something at a time, however far away; a wait that exceeds one timer is split. @returns a function that cancels it */
export function runAt(at: Instant, now: () => Instant, run: () => void): () => void {
  let timer: NodeJS.Timeout;
  const start = () => {
    const leftMs = at - now();
    timer = setTimeout(
      () => (leftMs > longestTimerMs ? start() : run()),
      Math.max(0, Math.min(leftMs, longestTimerMs)),
    );
  };
  start();
  return () => clearTimeout(timer);
}
