import type { Credential, Principal } from '@parleyhq/core';
import type { Logger } from 'pino';
import type { Auth } from './auth.ts';

/** How often the tables are read, in ms: other processes end tokens and logins without notifying this one. */
const intervalMs = 250;

/** A connected client or a waiting request that depends on a credential. */
export interface TokenHolder {
  readonly principal: Principal;
  readonly credential: Credential;
  expel(reason: string): void;
}

/** Closes the connections of tokens and logins that were ended or have expired (SEC9). */
export class TokenWatch {
  readonly #holders: readonly ReadonlySet<TokenHolder>[];
  readonly #auth: Auth;
  readonly #log: Logger;
  readonly #timer: NodeJS.Timeout;
  #isLooking = false;

  constructor(holders: readonly ReadonlySet<TokenHolder>[], auth: Auth, log: Logger) {
    this.#holders = holders;
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

  /** Looks up each token or login once, however many connections use it. */
  async #expel(): Promise<void> {
    const found = new Map<string, boolean>();
    for (const holder of this.#holders.flatMap((set) => [...set])) {
      const { tokenId, loginHash } = holder.credential;
      if (tokenId === undefined && loginHash === undefined) continue;
      const name = loginHash ?? `token ${tokenId}`;
      const isCurrent = found.get(name) ?? (await this.#auth.isCurrent(holder.credential));
      found.set(name, isCurrent);
      if (!isCurrent) holder.expel('the token or log-in was ended or has expired');
    }
  }
}
