import type { Credential } from '@parleyhq/core';
import type { Logger } from 'pino';
import type { Auth } from './auth.ts';

/** Tokens and logins are ended by other processes, which tell nobody: so the tables are asked. */
const intervalMs = 250;

/** A connected client or a request that waits, as far as what let it in is concerned. */
export interface TokenHolder {
  readonly credential: Credential;
  expel(reason: string): void;
}

/** Ends the connections of tokens and logins that were ended or have expired (SEC9). */
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

  /** A token or login is asked for once, however many tabs it has opened. */
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
