/** A call of the context that a handler did not await: the text for a log, and the failure, if it failed. */
export interface UnawaitedCall {
  readonly words: string;
  /** The call as the author wrote it. */
  readonly request: string;
  readonly failure?: { readonly error: unknown } | undefined;
}

interface Call {
  readonly request: string;
  readonly isAnswerWanted: boolean;
  failure?: { readonly error: unknown };
}

type Methods = { readonly [name: string]: (...args: never[]) => Promise<unknown> };

/**
 * Detects calls of the context that a handler does not await. `if (ctx.confirm(…))` without `await` is always true, and the
 * failure of a floating `ctx.step(…)` would end the process, or be logged without the tool's name (PLG8).
 */
export class UnawaitedCalls {
  readonly #report: (unheard: UnawaitedCall) => void;
  readonly #unawaited = new Set<Call>();
  #state: 'running' | 'ended' | 'stopped' = 'running';
  #pending = 0;

  /** @param report - called once for each call that nobody awaits */
  constructor(report: (unheard: UnawaitedCall) => void) {
    this.#report = report;
  }

  /** Number of calls that have not returned yet. */
  get pending(): number {
    return this.#pending;
  }

  /** Watches a call whose result the handler needs. @param request - the call as its author wrote it */
  watch<T>(request: string, ask: () => Promise<T>): Promise<T> {
    return this.#listen({ request, isAnswerWanted: true }, ask);
  }

  /** Watches a call that may run in the background unless it fails. @param request - the call as its author wrote it */
  watchFailure<T>(request: string, act: () => Promise<T>): Promise<T> {
    return this.#listen({ request, isAnswerWanted: false }, act);
  }

  /** Watches each method of a member of the context like `watchFailure`. @param name - as in `ctx.state` */
  watchFailures<T extends object>(name: string, api: T): T {
    const methods = Object.entries(api as Methods).map(([method, act]) => [
      method,
      (...args: never[]) => this.watchFailure(`${name}.${method}`, () => act(...args)),
    ]);
    return Object.fromEntries(methods);
  }

  /** Reports the calls that were not awaited when the handler finished. */
  end(): void {
    if (this.#state === 'stopped') return;
    this.#state = 'ended';
    for (const call of this.#unawaited) if (call.isAnswerWanted || call.failure) this.#reportCall(call);
  }

  /** Stops reporting, because a stopped handler can await nothing more. */
  stop(): void {
    this.#state = 'stopped';
  }

  #listen<T>(call: Call, act: () => Promise<T>): Promise<T> {
    this.#unawaited.add(call);
    this.#pending += 1;
    const acted = act().finally(() => {
      this.#pending -= 1;
    });
    return new WatchedPromise<T>(
      (resolve) => resolve(acted),
      () => this.#unawaited.delete(call),
      (error) => this.#fail(call, error),
    );
  }

  #fail(call: Call, error: unknown): void {
    call.failure = { error };
    if (this.#state === 'ended' && this.#unawaited.has(call)) this.#reportCall(call);
  }

  #reportCall(call: Call): void {
    const { request, isAnswerWanted, failure } = call;
    this.#unawaited.delete(call);
    const then = isAnswerWanted ? 'the handler went on without the answer' : 'it failed';
    this.#report({ words: `nobody awaited ${request}: ${then}`, request, failure });
  }
}

/** A promise that reports when it is awaited. As a subclass it makes `await` call its `then`. */
class WatchedPromise<T> extends Promise<T> {
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  readonly #onHeard: () => void;

  constructor(
    executor: (resolve: (value: Promise<T>) => void) => void,
    onHeard: () => void,
    onFailed: (error: unknown) => void,
  ) {
    super(executor);
    this.#onHeard = onHeard;
    super.then(undefined, onFailed); // handled here, so that an unawaited rejection is reported and does not end the process
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
