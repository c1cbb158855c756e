import { RefusalError } from '@parleyhq/core';
import type { Admission } from './auth.ts';
import type { QuotaService } from './quota-service.ts';
import type { TokenHolder } from './token-watch.ts';

/** Requests that may wait: each counts as a connection of its person (SEC11) and ends with the token that admitted it (SEC9). */
export class WaitingRequests {
  readonly #quotas: QuotaService;
  readonly #holders = new Set<TokenHolder>();

  constructor(quotas: QuotaService) {
    this.#quotas = quotas;
  }

  get holders(): ReadonlySet<TokenHolder> {
    return this.#holders;
  }

  /**
   * Runs work that may wait.
   * @param closed - aborts when the request's connection closes
   * @param work - its signal aborts then, and when the token ends, after which the result is withheld
   * @throws RefusalError `rate_limited` if the person has too many connections, `unauthorised` if the token has ended
   */
  async hold<T>(
    { principal, credential }: Admission,
    closed: AbortSignal,
    work: (gone: AbortSignal) => Promise<T>,
  ): Promise<T> {
    this.#quotas.enter(principal);
    const expelled = new AbortController();
    const holder = { principal, credential, expel: () => expelled.abort() };
    this.#holders.add(holder);
    try {
      const value = await work(AbortSignal.any([expelled.signal, closed]));
      if (expelled.signal.aborted) throw new RefusalError('unauthorised');
      return value;
    } finally {
      this.#holders.delete(holder);
      this.#quotas.leave(principal);
    }
  }
}
