/** Something that notifies listeners of its changes. */
interface Observable {
  subscribe(listener: () => void): () => void;
}

/**
 * Calls `find` after each change, until it returns something.
 * @param name - what is waited for, for the error
 * @param patienceMs - how long to wait, in ms
 * @param explain - returns text to append to the error
 * @throws Error naming what did not come in time
 */
export function waitUntil<T>(
  source: Observable,
  name: string,
  find: () => T | undefined,
  patienceMs = 30_000,
  explain: () => string = () => '',
): Promise<T> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const found = find();
      if (found === undefined) return;
      end();
      resolve(found);
    };
    const timer = setTimeout(() => {
      end();
      reject(new Error(`Within ${patienceMs / 1000} seconds there was no sign of ${name}.${explain()}`));
    }, patienceMs);
    const stop = source.subscribe(look);
    const end = () => {
      clearTimeout(timer);
      stop();
    };
    look();
  });
}
