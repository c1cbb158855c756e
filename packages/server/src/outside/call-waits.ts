import { type OutsideCall, RefusalError } from '@parleyhq/core';
import type { Admission } from '../auth/auth.ts';
import type { QuotaBook } from '../auth/quota-book.ts';
import type { TokenHolder } from '../auth/token-watch.ts';
import type { CallOutcome } from './call-outcome.ts';
import type { CallResults } from './call-results.ts';
import type { OutsideCalls } from './outside-calls.ts';

/** The requests that wait for calls: each is a connection of its person (SEC11), and ends with the token that let it in (SEC9). */
export class CallWaits {
  readonly #outside: OutsideCalls;
  readonly #results: CallResults;
  readonly #quotas: QuotaBook;
  readonly #holders = new Set<TokenHolder>();

  constructor(options: { outside: OutsideCalls; results: CallResults; quotas: QuotaBook }) {
    this.#outside = options.outside;
    this.#results = options.results;
    this.#quotas = options.quotas;
  }

  get holders(): ReadonlySet<TokenHolder> {
    return this.#holders;
  }

  /**
   * Does what may wait. `ended` aborts with the token, and nothing is told after that.
   * @throws RefusalError `rate_limited` where the person has too many connections, `unauthorised`
   */
  async hold<T>({ principal, credential }: Admission, work: (ended: AbortSignal) => Promise<T>): Promise<T> {
    this.#quotas.enter(principal);
    const over = new AbortController();
    const holder = { credential, expel: () => over.abort() };
    this.#holders.add(holder);
    try {
      const value = await work(over.signal);
      if (over.signal.aborted) throw new RefusalError('unauthorised');
      return value;
    } finally {
      this.#holders.delete(holder);
      this.#quotas.leave(principal);
    }
  }

  /** What became of a call, for a principal: at once, or as soon as there is a result; undefined where `signal` aborts first. */
  async outcomeOf(call: OutsideCall, signal: AbortSignal, reader = call.principal): Promise<CallOutcome | undefined> {
    const over = new AbortController();
    const { toolCallId, principal } = call;
    const told = this.#results.wait(toolCallId, reader === principal, AbortSignal.any([over.signal, signal])); // before looking, so that nothing is missed
    try {
      const known = await this.#outside.readOutcome(call, reader);
      if (known) return known;
      await told;
      return await this.#outside.readOutcome(call, reader, { isWaiting: true });
    } finally {
      over.abort();
    }
  }
}
