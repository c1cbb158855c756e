import { type OutsideCall, RefusalError } from '@parleyhq/core';
import type { Admission } from '../../auth/auth.ts';
import type { QuotaService } from '../../auth/quota-service.ts';
import type { TokenHolder } from '../../auth/token-watch.ts';
import type { CallOutcome } from './call-outcome.ts';
import type { CallResults } from './call-results.ts';
import type { OutsideCalls } from './outside-calls.ts';

/**
 * Requests that wait for calls: each counts as a connection of its person (SEC11) and ends with the token that admitted it
 * (SEC9).
 */
export class CallWaits {
  readonly #outside: OutsideCalls;
  readonly #results: CallResults;
  readonly #quotas: QuotaService;
  readonly #holders = new Set<TokenHolder>();

  constructor(options: { outside: OutsideCalls; results: CallResults; quotas: QuotaService }) {
    this.#outside = options.outside;
    this.#results = options.results;
    this.#quotas = options.quotas;
  }

  get holders(): ReadonlySet<TokenHolder> {
    return this.#holders;
  }

  /**
   * Runs work that may wait. `ended` aborts when the token ends, after which the result is withheld.
   * @throws RefusalError `rate_limited` if the person has too many connections, `unauthorised` if the token has ended
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

  /** Returns the outcome of a call for a principal, as soon as there is one; undefined if `signal` aborts first. */
  async outcomeOf(call: OutsideCall, signal: AbortSignal, reader = call.principal): Promise<CallOutcome | undefined> {
    const over = new AbortController();
    const { toolCallId, principal } = call;
    // before reading, so that no result is missed
    const told = this.#results.wait(toolCallId, reader === principal, AbortSignal.any([over.signal, signal]));
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
