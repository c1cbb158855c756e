/** What tells of its changes. */
interface Observable {
  subscribe(listener: () => void): () => void;
}

/**
 * Waits for changes until there is what is looked for, for so many ms.
 * @param explain - what else may say why it does not come
 * @throws Error naming it where it does not come
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
