import type { AccessToken, Instant, Login, LoginStore, Role, TokenStore } from '@parleyhq/core';
import type { CommitQueue } from '../commit-queue.ts';
import { loggedIn, loggedOut, tokenCreated, tokenRevoked } from '../power-rows.ts';
import type { Audit } from './audit.ts';
import { type Database, lookUp, type Statement } from './database.ts';

interface TokenRow {
  readonly id: string;
  readonly role: Role;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly details: string;
}

/** Tokens besides the server's own. */
export class Tokens implements TokenStore {
  readonly #queue: CommitQueue;
  readonly #audit: Audit;
  readonly #add: Statement;
  readonly #byHash: Statement<TokenRow>;
  readonly #byId: Statement<TokenRow>;
  readonly #list: Statement<TokenRow>;
  readonly #remove: Statement;
  readonly #removeLogins: Statement;

  constructor(db: Database, queue: CommitQueue, audit: Audit) {
    this.#queue = queue;
    this.#audit = audit;
    const isCurrent = '(expires_at is null or expires_at > ?)';
    this.#add = db.prepare(
      'insert into tokens (id, hash, role, created_at, expires_at, details) values (?, ?, ?, ?, ?, ?)',
    );
    this.#byHash = db.prepare(`select * from tokens where hash = ? and ${isCurrent}`);
    this.#byId = db.prepare(`select * from tokens where id = ? and ${isCurrent}`);
    this.#list = db.prepare('select * from tokens order by rowid');
    this.#remove = db.prepare('delete from tokens where id = ?');
    this.#removeLogins = db.prepare('delete from logins where token_id = ?');
  }

  add(hash: string, token: AccessToken): Promise<void> {
    const { id, role, createdAt, expiresAt, name, sessions } = token;
    return this.#queue.write(() => {
      this.#add.run(id, hash, role, createdAt, expiresAt ?? null, JSON.stringify({ name, sessions }));
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

  remove(id: string): Promise<boolean> {
    return this.#queue.write(() => {
      this.#removeLogins.run(id);
      const isRemoved = this.#remove.run(id).changes > 0;
      if (isRemoved) this.#audit.addPower(tokenRevoked(id));
      return isRemoved;
    });
  }
}

/** Logins of browsers. Adding one deletes those that have expired. */
export class Logins implements LoginStore {
  readonly #queue: CommitQueue;
  readonly #audit: Audit;
  readonly #add: Statement;
  readonly #find: Statement<{ expires_at: string; token_id: string | null }>;
  readonly #remove: Statement;
  readonly #purge: Statement;
  #latest = '';

  constructor(db: Database, queue: CommitQueue, audit: Audit) {
    this.#queue = queue;
    this.#audit = audit;
    this.#add = db.prepare('insert or replace into logins (hash, expires_at, token_id) values (?, ?, ?)');
    this.#find = db.prepare('select expires_at, token_id from logins where hash = ? and expires_at > ?');
    this.#remove = db.prepare('delete from logins where hash = ?');
    this.#purge = db.prepare('delete from logins where expires_at <= ?');
  }

  add(hash: string, login: Login): Promise<void> {
    const { expiresAt, tokenId } = login;
    return this.#queue.write(() => {
      this.#audit.addPower(loggedIn(hash, login));
      this.#purge.run(this.#latest);
      this.#add.run(hash, expiresAt, tokenId ?? null);
    });
  }

  async find(hash: string, now: Instant): Promise<Login | undefined> {
    const at = new Date(now).toISOString();
    if (at > this.#latest) this.#latest = at;
    const row = lookUp(() => this.#find.get(hash, at));
    return row && { expiresAt: row.expires_at, ...(row.token_id !== null && { tokenId: row.token_id }) };
  }

  remove(hash: string): Promise<void> {
    return this.#queue.write(() => {
      if (this.#remove.run(hash).changes > 0) this.#audit.addPower(loggedOut(hash));
    });
  }
}

function toToken({ id, role, created_at, expires_at, details }: TokenRow): AccessToken {
  return {
    id,
    role,
    createdAt: created_at,
    ...(expires_at !== null && { expiresAt: expires_at }),
    ...JSON.parse(details),
  };
}
