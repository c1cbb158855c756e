import type { ApprovalScope, Grant, GrantStore, Instant, SessionId } from '@parley/core';
import type { CommitQueue } from '../commit-queue.ts';
import { lookUp } from './event-log.ts';
import type { Database, Statement } from './open.ts';

interface Row {
  readonly id: string;
  readonly plugin: string;
  readonly key: string;
  readonly scope: ApprovalScope;
  readonly session_id: string | null;
  readonly created_at: string;
  readonly uses: number;
  readonly expires_at: string | null;
  readonly details: string;
}

/** Stored approvals (APR1). */
export class Grants implements GrantStore {
  readonly #queue: CommitQueue;
  readonly #replace: Statement;
  readonly #insert: Statement;
  readonly #find: Statement<Row>;
  readonly #use: Statement;
  readonly #list: Statement<Row>;
  readonly #revoke: Statement;
  readonly #clear: Statement;

  constructor(db: Database, queue: CommitQueue) {
    this.#queue = queue;
    this.#replace = db.prepare(
      `delete from grants where id = ? or (plugin = ? and key = ? and scope = ? and scope <> 'once'
       and (scope = 'always' or session_id is ?))`,
    );
    this.#insert = db.prepare(
      `insert into grants (id, plugin, key, scope, session_id, created_at, uses, expires_at, details)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#find = db.prepare(
      `select * from grants where plugin = ? and key = ? and (scope = 'always' or session_id = ?)
       and (expires_at is null or expires_at > ?)
       order by case scope when 'once' then 0 when 'session' then 1 else 2 end, rowid limit 1`,
    );
    this.#use = db.prepare('update grants set uses = uses + 1 where id = ?');
    this.#list = db.prepare('select * from grants where expires_at is null or expires_at > ? order by rowid');
    this.#revoke = db.prepare('delete from grants where id = ?');
    this.#clear = db.prepare("delete from grants where plugin = ? and session_id = ? and scope <> 'always'");
  }

  /** Consent that stands twice would outlive its revocation: a new grant for the same replaces the old one. */
  put({ id, plugin, key, scope, sessionId, createdAt, uses, expiresAt, ...details }: Grant): Promise<void> {
    const session = sessionId ?? null;
    return this.#queue.write(() => {
      this.#replace.run(id, plugin, key, scope, session);
      const text = JSON.stringify(details);
      this.#insert.run(id, plugin, key, scope, session, createdAt, uses, expiresAt ?? null, text);
    });
  }

  take(plugin: string, key: string, sessionId: SessionId, now: Instant): Promise<Grant | undefined> {
    return this.#queue.write(() => {
      const row = this.#find.get(plugin, key, sessionId, new Date(now).toISOString());
      if (!row) return undefined;
      const statement = row.scope === 'once' ? this.#revoke : this.#use;
      statement.run(row.id);
      return toGrant({ ...row, uses: row.uses + 1 });
    });
  }

  async list(now: Instant): Promise<readonly Grant[]> {
    return lookUp(() => this.#list.all(new Date(now).toISOString()).map(toGrant));
  }

  revoke(which: { id: string } | { plugin: string; sessionId: SessionId }): Promise<number> {
    return this.#queue.write(() => {
      const result = 'id' in which ? this.#revoke.run(which.id) : this.#clear.run(which.plugin, which.sessionId);
      return result.changes;
    });
  }
}

function toGrant({ session_id, created_at, expires_at, details, ...row }: Row): Grant {
  return {
    ...row,
    sessionId: session_id ?? undefined,
    createdAt: created_at,
    ...(expires_at !== null && { expiresAt: expires_at }),
    ...JSON.parse(details),
  };
}
