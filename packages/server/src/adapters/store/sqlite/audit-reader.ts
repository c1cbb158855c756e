import { type AuditRow, type SessionId, serverChain, settlementKey } from '@parleyhq/core';
import { type AuditProblem, type Settlements, verifyChain, verifyLinks } from '@parleyhq/store-kit';
import { type Database, lookUp, type Statement, toStoreError } from './database.ts';
import { requireCurrent } from './migrate.ts';
import { openReadOnly } from './open.ts';

/** The audit of a session, or of the whole server as `serverChain`, with any problems in it. */
export interface AuditedSession {
  readonly sessionId: SessionId;
  readonly rows: readonly AuditRow[];
  readonly faults: readonly AuditProblem[];
}

/** A row with its position among those of all chains. */
export interface PlacedRow extends AuditRow {
  readonly position: number;
}

/** Selects settlements as a range of the key index. */
const prefix = settlementKey('');
const isSettlement = `key >= '${prefix}' and key < '${prefix}\u{10ffff}'`;

/** Reads the audit of a database that a server may be writing. Takes no lock and changes nothing. */
export class AuditReader {
  readonly #db: Database;
  readonly #sessions: Statement<SessionId>;
  readonly #find: Statement<{ key: number; audited_from: number }>;
  readonly #rows: Statement<AuditRow>;
  readonly #settlements: Statement<{ seq: number; key: string }>;
  readonly #after: Statement<PlacedRow>;

  constructor(db: Database) {
    this.#db = db;
    const settled = `select 1 from events where session = sessions.key and seq > audited_from and ${isSettlement}`;
    this.#sessions = db
      .prepare<unknown[], SessionId>(
        `select session_id from audit where session_id <> '${serverChain}' group by session_id union all
         select id from sessions where id not in (select session_id from audit) and exists (${settled})`,
      )
      .pluck();
    this.#find = db.prepare('select key, audited_from from sessions where id = ?');
    this.#rows = db.prepare('select n, text, hash from audit where session_id = ? order by n');
    this.#after = db.prepare(
      'select rowid as position, n, text, hash from audit where rowid > ? order by rowid limit ?',
    );
    this.#settlements = db.prepare(`select seq, key from events where session = ? and seq > ? and ${isSettlement}`);
  }

  /** All sessions that ever had a settlement, including deleted ones. */
  sessions(): readonly SessionId[] {
    return lookUp(() => this.#sessions.all());
  }

  /** Reads the audit of the whole server: tokens, log-ins and grants (SEC7). */
  readServer(): AuditedSession {
    const rows = lookUp(() => this.#rows.all(serverChain));
    return { sessionId: serverChain, rows, faults: [...verifyLinks(rows)] };
  }

  /** Returns the rows of all chains in the order of their commits, after a position. */
  after(position: number, limit: number): readonly PlacedRow[] {
    return lookUp(() => this.#after.all(position, limit));
  }

  /** Reads the audit of a session; undefined if there is neither the session nor a row of it. */
  read(sessionId: SessionId): AuditedSession | undefined {
    if (sessionId === serverChain) return undefined;
    return lookUp(() =>
      this.#db.transaction(() => {
        const rows = this.#rows.all(sessionId);
        const settlements = this.#readSettlements(sessionId);
        if (rows.length === 0 && !settlements) return undefined;
        return { sessionId, rows, faults: [...verifyChain(rows, settlements)] };
      })(),
    );
  }

  #readSettlements(sessionId: SessionId): Settlements {
    const session = this.#find.get(sessionId);
    if (!session) return undefined;
    const events = this.#settlements.all(session.key, session.audited_from);
    return new Map(events.map(({ seq, key }) => [seq, key.slice(prefix.length)]));
  }

  close(): void {
    this.#db.close();
  }
}

/** @throws StoreError `failed` if there is no database that this release can read */
export function openAuditReader(path: string): AuditReader {
  const db = openReadOnly(path);
  try {
    requireCurrent(db);
    return new AuditReader(db);
  } catch (error) {
    db.close();
    throw toStoreError(error);
  }
}
