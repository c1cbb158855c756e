/** In ms: longer timers of Node overflow and fire at once. */
export const longestTimerMs = 2 ** 31 - 1;
