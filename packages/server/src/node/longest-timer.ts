/** In ms. Node's timers overflow beyond it, and would fire at once. */
export const longestTimerMs = 2 ** 31 - 1;
