/**
 * Which requests of a handler somebody listens to. `if (ctx.confirm(…))` without `await` is always true, and no type or
 * test may show it (PLG8).
 */
export class AwaitedRequests {
  readonly #requests: { readonly door: string; isHeard: boolean }[] = [];

  /** @param door - the call of the context, as its author wrote it */
  watch<T>(door: string, ask: () => Promise<T>): Promise<T> {
    const request = { door, isHeard: false };
    this.#requests.push(request);
    const asked = ask();
    asked.catch(() => undefined); // nobody may be listening
    return new WatchedPromise<T>(
      (resolve) => resolve(asked),
      () => {
        request.isHeard = true;
      },
    );
  }

  /** The calls whose promise nobody awaited, each in the order of asking. */
  get unheard(): readonly string[] {
    return this.#requests.flatMap(({ door, isHeard }) => (isHeard ? [] : [door]));
  }
}

/** A promise that says when somebody listens. `await` calls `then` because it is a class of its own. */
class WatchedPromise<T> extends Promise<T> {
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  readonly #onHeard: () => void;

  constructor(executor: (resolve: (value: Promise<T>) => void) => void, onHeard: () => void) {
    super(executor);
    this.#onHeard = onHeard;
    super.then(undefined, () => undefined); // a rejection that nobody hears is reported with the request
  }

  // biome-ignore lint/suspicious/noThenProperty: listening is what is watched
  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#onHeard();
    return super.then(onFulfilled, onRejected);
  }
}
