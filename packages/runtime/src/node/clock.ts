/** In ms: longer timers of Node overflow and fire at once. */
export const longestTimerMs = 2 ** 31 - 1;

/** Elapsed time and timers of a process, which setting the system's clock does not affect. */
export interface Clock {
  /** Milliseconds since an arbitrary moment. */
  elapsed(): number;
  /** Runs something in `ms`, however far away. @returns a function that cancels it */
  after(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  elapsed: () => performance.now(),
  after(ms, run) {
    let timer: NodeJS.Timeout;
    const wait = (leftMs: number) => {
      const nextMs = Math.max(0, Math.min(leftMs, longestTimerMs));
      timer = setTimeout(() => (leftMs > nextMs ? wait(leftMs - nextMs) : run()), nextMs);
    };
    wait(ms);
    return () => clearTimeout(timer);
  },
};
