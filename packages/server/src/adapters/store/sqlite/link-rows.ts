import { accountUnlinked } from '@parleyhq/store-kit';
import type { Audit } from './audit.ts';
import { type Database, pluck, type Statement } from './database.ts';

/** Ends links within the writes of others: a link ends with its token or login. */
export class LinkRows {
  readonly #audit: Audit;
  readonly #byId: Statement<string>;
  readonly #byAccount: Statement<string>;
  readonly #byToken: Statement<string>;
  readonly #byLogin: Statement<string>;
  readonly #codesOfToken: Statement;
  readonly #codesOfLogin: Statement;

  constructor(db: Database, audit: Audit) {
    this.#audit = audit;
    this.#byId = pluck(db, 'delete from links where id = ? returning id');
    this.#byAccount = pluck(db, 'delete from links where notifier = ? and account = ? returning id');
    this.#byToken = pluck(db, 'delete from links where token_id = ? returning id');
    this.#byLogin = pluck(db, 'delete from links where login_hash = ? returning id');
    this.#codesOfToken = db.prepare('delete from link_codes where token_id = ?');
    this.#codesOfLogin = db.prepare('delete from link_codes where login_hash = ?');
  }

  /** Returns whether it existed. */
  end(id: string): boolean {
    return this.#note(this.#byId.all(id));
  }

  endOfAccount(notifier: string, account: string): void {
    this.#note(this.#byAccount.all(notifier, account));
  }

  endOfToken(id: string): void {
    this.#codesOfToken.run(id);
    this.#note(this.#byToken.all(id));
  }

  endOfLogin(hash: string): void {
    this.#codesOfLogin.run(hash);
    this.#note(this.#byLogin.all(hash));
  }

  #note(ended: readonly string[]): boolean {
    for (const id of ended) this.#audit.addPower(accountUnlinked(id));
    return ended.length > 0;
  }
}
