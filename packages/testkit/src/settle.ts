/** Taken when the kit is loaded, because a test may replace the global timers. */
const immediately = setImmediate;

/** Rounds of the event loop after which everything waits for something outside. */
const rounds = 4;

/** Lets running code come to its next wait for something outside. */
export async function settle(): Promise<void> {
  for (let round = 0; round < rounds; round += 1)
    await new Promise<void>((resolve) => {
      immediately(resolve);
    });
}
