/** What a handler did not await of its context: the words for a log, and what failed, where it did. */
export interface Unheard {
  readonly words: string;
  /** The call of the context, as its author wrote it. */
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
 * Which calls of its context a handler listens to. `if (ctx.confirm(…))` without `await` is always true, and the failure of a
 * `ctx.step(…)` that nobody awaits would end the process, or be a line without the tool's name (PLG8).
 */
export class HeardCalls {
  readonly #report: (unheard: Unheard) => void;
  readonly #unheard = new Set<Call>();
  #state: 'running' | 'ended' | 'stopped' = 'running';

  /** @param report - told once of each call that nobody hears */
  constructor(report: (unheard: Unheard) => void) {
    this.#report = report;
  }

  /** Asks for an answer, which a handler that does not listen goes on without. @param request - as its author wrote it */
  watch<T>(request: string, ask: () => Promise<T>): Promise<T> {
    return this.#listen({ request, isAnswerWanted: true }, ask);
  }

  /** Does something that may go on by itself, unless it fails. @param request - as its author wrote it */
  watchFailure<T>(request: string, act: () => Promise<T>): Promise<T> {
    return this.#listen({ request, isAnswerWanted: false }, act);
  }

  /** The same for each method of a member of the context. @param name - as in `ctx.state` */
  watchFailures<T extends object>(name: string, api: T): T {
    const methods = Object.entries(api as Methods).map(([method, act]) => [
      method,
      (...args: never[]) => this.watchFailure(`${name}.${method}`, () => act(...args)),
    ]);
    return Object.fromEntries(methods);
  }

  /** The handler is done: what nobody heard by now nobody will, unless it goes on. */
  end(): void {
    if (this.#state === 'stopped') return;
    this.#state = 'ended';
    for (const call of this.#unheard) if (call.isAnswerWanted || call.failure) this.#tell(call);
  }

  /** The call was stopped: its handler could hear of nothing more. */
  stop(): void {
    this.#state = 'stopped';
  }

  #listen<T>(call: Call, act: () => Promise<T>): Promise<T> {
    this.#unheard.add(call);
    const acted = act();
    return new WatchedPromise<T>(
      (resolve) => resolve(acted),
      () => this.#unheard.delete(call),
      (error) => this.#fail(call, error),
    );
  }

  #fail(call: Call, error: unknown): void {
    call.failure = { error };
    if (this.#state === 'ended' && this.#unheard.has(call)) this.#tell(call);
  }

  #tell(call: Call): void {
    const { request, isAnswerWanted, failure } = call;
    this.#unheard.delete(call);
    const then = isAnswerWanted ? 'the handler went on without the answer' : 'it failed';
    this.#report({ words: `nobody awaited ${request}: ${then}`, request, failure });
  }
}

/** A promise that says when somebody listens. `await` calls `then` because it is a class of its own. */
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
    super.then(undefined, onFailed); // heard here: a rejection that nobody else hears is reported, and ends no process
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
