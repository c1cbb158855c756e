/** A promise that somebody else settles; the first to do so wins. */
export class Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: Error) => void;

  constructor() {
    const { promise, resolve, reject } = makePromise<T>();
    this.promise = promise;
    this.resolve = resolve;
    this.reject = reject;
    promise.catch(() => undefined); // whoever waits hears of it; nobody may be waiting
  }
}

function makePromise<T>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (reason: Error) => void = () => undefined;
  const promise = new Promise<T>((accept, refuse) => {
    resolve = accept;
    reject = refuse;
  });
  return { promise, resolve, reject };
}
