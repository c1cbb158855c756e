/** A promise that is settled from outside. Only the first settlement counts. */
export class Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: Error) => void;

  constructor() {
    const { promise, resolve, reject } = makePromise<T>();
    this.promise = promise;
    this.resolve = resolve;
    this.reject = reject;
    promise.catch(() => undefined); // whoever awaits it still gets the error; this avoids an unhandled rejection if nobody does
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
