/** Returns a promise, and a function that resolves it. */
export function hold(): { readonly until: Promise<void>; readonly release: () => void } {
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { until, release };
}
