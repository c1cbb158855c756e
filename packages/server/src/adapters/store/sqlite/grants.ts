import {
  type ApprovalScope,
  type GivenBy,
  type Grant,
  type GrantChoice,
  type GrantFilter,
  type GrantNote,
  type GrantStore,
  type Instant,
  type Revocation,
  ruleGrantPrefix,
  type SessionId,
} from '@parleyhq/core';
import {
  type CommitQueue,
  type GrantRow,
  grantNews,
  grantRevoked,
  requireOpenCall,
  requireSigner,
  revocation,
  toGrant,
} from '@parleyhq/store-kit';
import type { Audit } from './audit.ts';
import { type Database, lookUp, pluck, type Statement } from './database.ts';
import type { PasskeyRows } from './passkeys.ts';
import type { Records } from './records.ts';
import type { SessionTable } from './session-table.ts';
import type { Credentials } from './tokens-and-logins.ts';

const applying = "(scope = 'always' or session_id = $sessionId) and (expires_at is null or expires_at > $now)";

/** Orders the most specific scope first. */
const rank = "case scope when 'once' then 0 when 'session' then 1 else 2 end";

interface GrantsParts {
  readonly queue: CommitQueue;
  readonly table: SessionTable;
  readonly records: Records;
  readonly audit: Audit;
  readonly credentials: Credentials;
  readonly passkeys: PasskeyRows;
}

/** Stored approvals (APR1). */
export class Grants implements GrantStore {
  readonly #queue: CommitQueue;
  readonly #sessions: SessionTable;
  readonly #records: Records;
  readonly #audit: Audit;
  readonly #credentials: Credentials;
  readonly #passkeys: PasskeyRows;
  readonly #replace: Statement<string>;
  readonly #insert: Statement;
  readonly #find: Statement<GrantRow>;
  readonly #holds: Statement;
  readonly #use: Statement;
  readonly #cover: Statement<GrantRow>;
  readonly #ruling: Statement<GrantRow>;
  readonly #list: Statement<GrantRow>;
  readonly #consume: Statement;
  readonly #revoke: Statement<string>;
  readonly #clear: Statement<string>;
  readonly #hasEvent: Statement;

  constructor(db: Database, parts: GrantsParts) {
    this.#queue = parts.queue;
    this.#sessions = parts.table;
    this.#records = parts.records;
    this.#audit = parts.audit;
    this.#credentials = parts.credentials;
    this.#passkeys = parts.passkeys;
    const dropping = (which: string) => pluck(db, `delete from grants where ${which} returning id`);
    this.#replace = dropping(
      "id = ? or (plugin = ? and key = ? and scope = ? and scope <> 'once' and (scope = 'always' or session_id is ?))",
    );
    this.#insert = db.prepare(
      `insert into grants (id, plugin, key, scope, session_id, created_at, uses, expires_at, details)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#hasEvent = db.prepare('select 1 from events where session = ? and key = ?');
    const covering = `select * from grants where plugin = $plugin and key = $key and ${applying}`;
    this.#find = db.prepare(
      `${covering} and ($among is null or id in (select value from json_each($among))) order by ${rank}, rowid limit 1`,
    );
    this.#cover = db.prepare(`${covering} order by rowid`);
    this.#ruling = db.prepare(
      `select * from grants where plugin = $plugin and key glob '${ruleGrantPrefix}*' and ${applying} order by rowid`,
    );
    this.#holds = db.prepare('select 1 from grants where id = ? and (expires_at is null or expires_at > ?)');
    this.#use = db.prepare('update grants set uses = uses + 1 where id = ?');
    this.#list = db.prepare(
      `select * from grants where (expires_at is null or expires_at > $now)
       and ($sessionId is null or scope = 'always' or session_id = $sessionId) order by rowid desc limit $limit`,
    );
    this.#consume = db.prepare('delete from grants where id = ?');
    this.#revoke = dropping('id = ?');
    this.#clear = dropping("plugin = ? and session_id = ? and scope <> 'always'");
  }

  put(grant: Grant, note?: GrantNote, given?: GivenBy): Promise<void> {
    return this.#queue.write(() => {
      this.#credentials.require(given);
      if (given?.passkey !== undefined) requireSigner(grant, this.#passkeys.find(given.passkey)); // mutant: grant-signer
      this.#requireOpen(note);
      this.store(grant);
      this.#note(note, grant.scope);
    });
  }

  /**
   * Stores a grant. Call within a write. Replaces an older grant for the same, because a duplicate would survive a revocation.
   */
  store(grant: Grant): void {
    const { id, plugin, key, scope, sessionId, createdAt, uses, expiresAt, ...details } = grant;
    const session = sessionId ?? null;
    for (const old of this.#replace.all(id, plugin, key, scope, session))
      if (old !== id) this.#audit.addPower(grantRevoked(old, 'replaced'));
    const text = JSON.stringify(details);
    this.#insert.run(id, plugin, key, scope, session, createdAt, uses, expiresAt ?? null, text);
    this.#audit.addPower(grantNews('grant_given', grant));
  }

  /** Whether a grant exists and has not expired. Call within a write. */
  holds(id: string, now: Instant): boolean {
    return this.#holds.get(id, new Date(now).toISOString()) !== undefined;
  }

  /** Counts one use. Call within a write. */
  count(id: string): void {
    this.#use.run(id);
  }

  take({ among, ...wish }: GrantChoice, now: Instant, note?: GrantNote): Promise<Grant | undefined> {
    const ids = among === undefined ? null : JSON.stringify(among);
    return this.#queue.write(() => {
      this.#requireOpen(note);
      const row = this.#find.get({ ...wish, among: ids, now: new Date(now).toISOString() });
      if (!row) return undefined;
      const statement = row.scope === 'once' ? this.#consume : this.#use;
      statement.run(row.id);
      this.#note(note, row.scope);
      const grant = toGrant({ ...row, uses: row.uses + 1 });
      this.#audit.addPower(grantNews('grant_used', { ...grant, sessionId: wish.sessionId }));
      return grant;
    });
  }

  async list(at: Instant, filter: GrantFilter = {}): Promise<readonly Grant[]> {
    const { plugin, key, sessionId = null, limit = -1, isRule } = filter;
    const now = new Date(at).toISOString();
    return lookUp(() => {
      if (plugin !== undefined && key !== undefined)
        return this.#cover.all({ plugin, key, sessionId, now }).map(toGrant);
      if (plugin !== undefined && isRule) return this.#ruling.all({ plugin, sessionId, now }).map(toGrant);
      return this.#list.all({ sessionId, limit, now }).map(toGrant).reverse();
    });
  }

  revoke(which: Revocation | { plugin: string; sessionId: SessionId }): Promise<number> {
    return this.#queue.write(() => {
      if ('id' in which) this.#credentials.require(which.authority);
      const gone = 'id' in which ? this.#revoke.all(which.id) : this.#clear.all(which.plugin, which.sessionId);
      for (const id of gone) this.#audit.addPower(revocation(id, which));
      return gone.length;
    });
  }

  #requireOpen(note: GrantNote | undefined): void {
    const place = note && this.#sessions.locate(note.sessionId);
    if (place) requireOpenCall(note, (key) => this.#hasEvent.get(place.key, key) !== undefined);
  }

  #note(note: GrantNote | undefined, scope: ApprovalScope): void {
    const place = note && this.#sessions.locate(note.sessionId);
    if (place) this.#records.put(place.key, note.toolCallId, note.key, JSON.stringify(scope));
  }
}
