import {
  type Authority,
  authorityOf,
  type ChatLink,
  type Instant,
  type LinkCode,
  type LinkStore,
} from '@parleyhq/core';
import { accountLinked, type CommitQueue } from '@parleyhq/store-kit';
import type { Audit } from './audit.ts';
import { type Database, lookUp, pluck, type Statement } from './database.ts';
import { LinkRows } from './link-rows.ts';
import type { Credentials } from './tokens-and-logins.ts';

interface LinksParts {
  readonly queue: CommitQueue;
  readonly audit: Audit;
  readonly credentials: Credentials;
}

/** Chat accounts that act for people, and the codes that link them (CHAT2). */
export class Links implements LinkStore {
  readonly #parts: LinksParts;
  readonly #rows: LinkRows;
  readonly #addCode: Statement;
  readonly #purgeCodes: Statement;
  readonly #findCode: Statement<string>;
  readonly #dropCode: Statement;
  readonly #takeCode: Statement<string>;
  readonly #add: Statement;
  readonly #find: Statement<string>;
  readonly #list: Statement<string>;

  constructor(db: Database, parts: LinksParts) {
    this.#parts = parts;
    this.#rows = new LinkRows(db, parts.audit);
    this.#addCode = db.prepare(
      'insert into link_codes (hash, token_id, login_hash, expires_at, details) values (?, ?, ?, ?, ?)',
    );
    this.#purgeCodes = db.prepare('delete from link_codes where expires_at <= ?');
    this.#findCode = pluck(db, 'select details from link_codes where hash = ? and expires_at > ?');
    this.#dropCode = db.prepare('delete from link_codes where hash = ?');
    this.#takeCode = pluck(db, 'delete from link_codes where hash = ? and expires_at > ? returning details');
    this.#add = db.prepare(
      'insert into links (id, notifier, account, token_id, login_hash, created_at, details) values (?, ?, ?, ?, ?, ?, ?)',
    );
    this.#find = pluck(db, 'select details from links where notifier = ? and account = ?');
    this.#list = pluck(db, 'select details from links order by created_at, id');
  }

  addCode(hash: string, code: LinkCode, authority: Authority): Promise<void> {
    const { queue, credentials } = this.#parts;
    const { tokenId, loginHash } = code.credential;
    return queue.write(() => {
      credentials.require(authority);
      this.#purgeCodes.run(new Date(authority.now).toISOString());
      this.#addCode.run(hash, tokenId ?? null, loginHash ?? null, code.expiresAt, JSON.stringify(code));
    });
  }

  async findCode(hash: string, now: Instant): Promise<LinkCode | undefined> {
    const details = lookUp(() => this.#findCode.get(hash, new Date(now).toISOString()));
    return details === undefined ? undefined : JSON.parse(details);
  }

  dropCode(hash: string): Promise<boolean> {
    return this.#parts.queue.write(() => this.#dropCode.run(hash).changes > 0);
  }

  redeem(made: Omit<ChatLink, 'principal' | 'credential'>, now: Instant): Promise<ChatLink | undefined> {
    const { queue, audit, credentials } = this.#parts;
    return queue.write(() => {
      const details = this.#takeCode.get(made.codeHash, new Date(now).toISOString());
      if (details === undefined) return undefined;
      const { principal, credential }: LinkCode = JSON.parse(details);
      if (!credentials.isValid(authorityOf(credential, now))) return undefined;
      const link: ChatLink = { ...made, principal, credential };
      this.#rows.endOfAccount(made.notifier, made.account.id);
      this.#add.run(
        ...[link.id, link.notifier, link.account.id, credential.tokenId ?? null, credential.loginHash ?? null],
        ...[link.createdAt, JSON.stringify(link)],
      );
      audit.addPower(accountLinked(link));
      return link;
    });
  }

  async find(notifier: string, accountId: string): Promise<ChatLink | undefined> {
    const details = lookUp(() => this.#find.get(notifier, accountId));
    return details === undefined ? undefined : toLink(details);
  }

  async list(): Promise<readonly ChatLink[]> {
    return lookUp(() => this.#list.all().map(toLink));
  }

  remove(id: string): Promise<boolean> {
    return this.#parts.queue.write(() => this.#rows.end(id));
  }
}

function toLink(details: string): ChatLink {
  return JSON.parse(details);
}
