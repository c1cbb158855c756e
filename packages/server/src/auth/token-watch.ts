import type { Principal } from '@parleyhq/core';
import type { Logger } from 'pino';
import type { Auth } from './auth.ts';

/** Tokens are revoked by other processes, which tell nobody: so the table is asked. */
const intervalMs = 250;

/** A connected client, as far as its token is concerned. */
export interface TokenHolder {
  readonly principal: Principal;
  expel(reason: string): void;
}

/** Ends the connections of tokens that were revoked or have expired (SEC4). */
export class TokenWatch {
  readonly #clients: ReadonlySet<TokenHolder>;
  readonly #auth: Auth;
  readonly #log: Logger;
  readonly #timer: NodeJS.Timeout;
  #isLooking = false;

  constructor(clients: ReadonlySet<TokenHolder>, auth: Auth, log: Logger) {
    this.#clients = clients;
    this.#auth = auth;
    this.#log = log;
    this.#timer = setInterval(() => void this.#look(), intervalMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      await this.#expel();
    } catch (error) {
      this.#log.error({ error }, 'the tokens could not be read: trying again');
    } finally {
      this.#isLooking = false;
    }
  }

  /** A token is asked for once, however many tabs it has opened. */
  async #expel(): Promise<void> {
    const verdicts = new Map<string, boolean>();
    for (const client of this.#clients) {
      const { principal } = client;
      const isCurrent = verdicts.get(principal.id) ?? (await this.#auth.isCurrent(principal));
      verdicts.set(principal.id, isCurrent);
      if (!isCurrent) client.expel('the token was revoked or has expired');
    }
  }
}
