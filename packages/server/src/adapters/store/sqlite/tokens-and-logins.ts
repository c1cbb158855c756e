import {
  type AccessToken,
  type Authority,
  type Instant,
  type Login,
  type LoginStore,
  StoreError,
  type TokenStore,
} from '@parleyhq/core';
import {
  type CommitQueue,
  grantRevoked,
  type LoginRow,
  loggedIn,
  loggedOut,
  requireTokenOf,
  requireValid,
  type Standing,
  standingOfLogin,
  type TokenRow,
  tokenChanged,
  tokenCreated,
  tokenRevoked,
  toLogin,
  toToken,
} from '@parleyhq/store-kit';
import type { Audit } from './audit.ts';
import { type Database, lookUp, pluck, type Statement } from './database.ts';
import { LinkRows } from './link-rows.ts';

/** Tokens in addition to the server's own. */
export class Tokens implements TokenStore {
  readonly #queue: CommitQueue;
  readonly #audit: Audit;
  readonly #add: Statement;
  readonly #byHash: Statement<TokenRow>;
  readonly #byId: Statement<TokenRow>;
  readonly #list: Statement<TokenRow>;
  readonly #change: Statement;
  readonly #remove: Statement;
  readonly #removeLogins: Statement;
  readonly #removeGrants: Statement<string>;
  readonly #findClash: Statement;
  readonly #links: LinkRows;

  constructor(db: Database, queue: CommitQueue, audit: Audit) {
    this.#queue = queue;
    this.#audit = audit;
    this.#links = new LinkRows(db, audit);
    const isCurrent = '(expires_at is null or expires_at > ?)';
    this.#add = db.prepare(
      'insert into tokens (id, hash, role, created_at, expires_at, details) values (?, ?, ?, ?, ?, ?)',
    );
    this.#byHash = db.prepare(`select * from tokens where hash = ? and ${isCurrent}`);
    this.#byId = db.prepare(`select * from tokens where id = ? and ${isCurrent}`);
    this.#list = db.prepare('select * from tokens order by rowid');
    this.#change = db.prepare('update tokens set role = ?, details = ? where id = ?');
    this.#remove = db.prepare('delete from tokens where id = ?');
    this.#removeLogins = db.prepare('delete from logins where token_id = ?');
    this.#removeGrants = pluck(db, "delete from grants where json_extract(details, '$.by.principal') = ? returning id");
    this.#findClash = db.prepare(
      `select 1 from tokens where (id in ($id, $name) or json_extract(details, '$.name') in ($id, $name))
       and id is not $except`,
    );
  }

  add(hash: string, token: AccessToken): Promise<void> {
    const { id, role, createdAt, expiresAt, ...details } = token;
    return this.#queue.write(() => {
      this.#requireFree(token);
      this.#add.run(id, hash, role, createdAt, expiresAt ?? null, JSON.stringify(details));
      this.#audit.addPower(tokenCreated(token));
    });
  }

  async find(which: { hash: string } | { id: string }, now: Instant): Promise<AccessToken | undefined> {
    const at = new Date(now).toISOString();
    const row = lookUp(() => ('id' in which ? this.#byId.get(which.id, at) : this.#byHash.get(which.hash, at)));
    return row && toToken(row);
  }

  async list(): Promise<readonly AccessToken[]> {
    return lookUp(() => this.#list.all().map(toToken));
  }

  change(token: AccessToken, { keepGrants = false } = {}): Promise<boolean> {
    const { id, role, createdAt: _, expiresAt: __, ...details } = token;
    return this.#queue.write(() => {
      this.#requireFree(token, id);
      if (this.#change.run(role, JSON.stringify(details), id).changes === 0) return false;
      this.#end(id, keepGrants);
      for (const entry of tokenChanged(token)) this.#audit.addPower(entry);
      return true;
    });
  }

  remove(id: string, { keepGrants = false } = {}): Promise<boolean> {
    return this.#queue.write(() => {
      this.#end(id, keepGrants);
      const isRemoved = this.#remove.run(id).changes > 0;
      if (isRemoved) this.#audit.addPower(tokenRevoked(id));
      return isRemoved;
    });
  }

  /** @param except - id of the token that is given a name @throws StoreError `conflict` */
  #requireFree({ id, name }: AccessToken, except: string | null = null): void {
    if (this.#findClash.get({ id, name: name ?? null, except })) throw refuseName(name ?? id);
  }

  /** Ends what depends on a token. */
  #end(id: string, keepGrants: boolean): void {
    this.#removeLogins.run(id);
    this.#links.endOfToken(id);
    const dropped = keepGrants ? [] : this.#removeGrants.all(id);
    for (const grantId of dropped) this.#audit.addPower(grantRevoked(grantId, 'token_revoked'));
  }
}

/** Logins of browsers. Adding one deletes expired ones. */
export class Logins implements LoginStore {
  readonly #queue: CommitQueue;
  readonly #audit: Audit;
  readonly #add: Statement;
  readonly #find: Statement<LoginRow>;
  readonly #list: Statement<LoginRow>;
  readonly #prove: Statement<LoginRow>;
  readonly #credentials: Credentials;
  readonly #remove: Statement<Pick<LoginRow, 'id' | 'hash'>>;
  readonly #removeById: Statement<Pick<LoginRow, 'id' | 'hash'>>;
  readonly #purge: Statement;
  readonly #links: LinkRows;
  #latest = '';

  constructor(db: Database, queue: CommitQueue, audit: Audit) {
    this.#queue = queue;
    this.#audit = audit;
    this.#add = db.prepare(
      'insert or replace into logins (hash, id, created_at, expires_at, token_id, details) values (?, ?, ?, ?, ?, ?)',
    );
    this.#find = db.prepare('select * from logins where hash = ? and expires_at > ?');
    this.#list = db.prepare('select * from logins where expires_at > ? order by created_at, id');
    this.#prove = db.prepare(
      "update logins set details = json_set(details, '$.provedAt', $at) where hash = $hash and expires_at > $at returning *",
    );
    this.#credentials = new Credentials(db);
    this.#links = new LinkRows(db, audit);
    this.#remove = db.prepare('delete from logins where hash = ? returning id, hash');
    this.#removeById = db.prepare('delete from logins where id = ? returning id, hash');
    this.#purge = db.prepare('delete from logins where expires_at <= ?');
  }

  add(hash: string, login: Login): Promise<void> {
    const { id, createdAt, expiresAt, tokenId, ...more } = login;
    return this.#queue.write(() => {
      requireTokenOf(login, tokenId !== undefined && this.#credentials.creationOf(tokenId) !== undefined);
      this.#audit.addPower(loggedIn(login));
      this.#purge.run(this.#latest);
      this.#add.run(hash, id, createdAt ?? null, expiresAt, tokenId ?? null, JSON.stringify(more));
    });
  }

  async find(hash: string, now: Instant): Promise<Login | undefined> {
    const at = new Date(now).toISOString();
    if (at > this.#latest) this.#latest = at;
    const row = lookUp(() => this.#find.get(hash, at));
    return row && toLogin(row);
  }

  async list(now: Instant): Promise<readonly Login[]> {
    return lookUp(() => this.#list.all(new Date(now).toISOString()).map(toLogin));
  }

  prove(hash: string, now: Instant): Promise<boolean> {
    return this.#queue.write(() => {
      const row = this.#prove.get({ hash, at: new Date(now).toISOString() });
      if (row) this.#audit.addPower(loggedIn(toLogin(row), 'logged_in_again'));
      return row !== undefined;
    });
  }

  remove(which: { hash: string } | { id: string }, authority?: Authority): Promise<boolean> {
    return this.#queue.write(() => {
      this.#credentials.require(authority);
      const removed = 'id' in which ? this.#removeById.all(which.id) : this.#remove.all(which.hash);
      for (const { id, hash } of removed) {
        this.#links.endOfLogin(hash);
        this.#audit.addPower(loggedOut({ id }));
      }
      return removed.length > 0;
    });
  }
}

/** Checks whether tokens and logins are still valid, within the transaction that depends on it (SEC9). */
export class Credentials {
  readonly #token: Statement;
  readonly #creation: Statement<string>;
  readonly #login: Statement<LoginRow>;
  readonly #link: Statement;

  constructor(db: Database) {
    this.#link = db.prepare('select 1 from links where id = ?');
    this.#creation = pluck(db, 'select created_at from tokens where id = ?');
    this.#token = db.prepare('select 1 from tokens where id = ? and (expires_at is null or expires_at > ?)');
    this.#login = db.prepare('select * from logins where hash = ? and expires_at > ?');
  }

  /** Call within a write, before anything changes. @throws StoreError `unauthorised`, `login_again` */
  require(authority: Authority | undefined): void {
    requireValid(authority, (each) => this.#standingOf(each));
  }

  /** Whether a credential is valid. Call within a write. */
  isValid(authority: Authority): boolean {
    return this.#standingOf(authority) !== 'ended';
  }

  /** Returns when a token was created, even if it has expired; undefined if it was revoked. Call within a write. */
  creationOf(id: string): string | undefined {
    return this.#creation.get(id);
  }

  #standingOf(authority: Authority): Standing {
    const { tokenId, loginHash, linkId } = authority.credential;
    if (linkId !== undefined && !this.#link.get(linkId)) return 'ended';
    if (tokenId === undefined && loginHash === undefined) return 'valid';
    const at = new Date(authority.now).toISOString();
    if (tokenId !== undefined && !this.#token.get(tokenId, at)) return 'ended';
    if (loginHash === undefined) return 'valid';
    const row = this.#login.get(loginHash, at);
    return row ? standingOfLogin(toLogin(row), authority) : 'ended';
  }
}

function refuseName(name: string): StoreError {
  return new StoreError('conflict', `There is a token "${name}" already.`);
}
