import type {
  Append,
  EventIndex,
  EventStore,
  JournalRecord,
  ResponseId,
  Seq,
  SessionId,
  ToolCallId,
} from '@parleyhq/core';
import { assertGapless, refuseKey, refuseLineage, refuseSeq, refuseUnknown } from '@parleyhq/store-kit';
import { Batch } from './batch.ts';
import type { CommitQueue } from './commit-queue.ts';
import { requireAuthority, requireVotes } from './credentials.ts';
import { isOfStatement, lookUp, type Query, type Sql } from './database.ts';
import { countUse, requireHeld, storeGrant } from './grants.ts';
import { addCall, requireFreeKey } from './outside.ts';
import { countPasskeyUse, requireUse } from './passkeys.ts';
import { listRecords } from './records.ts';
import type { LogEnd, WriteTransaction } from './write-transaction.ts';

/** Rows per read. */
const chunkRows = 256;

type TextRow = { readonly text: string };

/** The log, its keys and the journals of its calls. */
export class EventLog implements EventStore, EventIndex {
  readonly #sql: Sql;
  readonly #queue: CommitQueue;
  /** Lineages of failed appends. */
  readonly #broken = new WeakSet<object>();

  constructor(sql: Sql, queue: CommitQueue) {
    this.#sql = sql;
    this.#queue = queue;
  }

  async append(change: Append): Promise<void> {
    assertGapless(change);
    const kept = { ...change, records: structuredClone(change.records ?? []) };
    const isPower = (change.grants?.length ?? 0) > 0 || change.passkey !== undefined;
    const locks = { sessions: [change.sessionId], isPower };
    const plain = () => (isPlain(change) && !this.#isBroken(change) ? kept : undefined);
    return this.#ofLineage(change, (attempt) =>
      this.#queue.write(locks, (group) => attempt(group.broken, () => append(group, kept)), plain),
    );
  }

  #isBroken({ lineage }: Append): boolean {
    return lineage !== undefined && this.#broken.has(lineage);
  }

  /**
   * Rejects appends that were decided on the basis of a failed one, even if their writer does not know of the failure yet:
   * another node may have stored the same number of events, so that their sequence numbers match by chance.
   */
  async #ofLineage(
    { lineage, sessionId }: Append,
    write: (attempt: (broken: Set<object>, run: () => Promise<void>) => Promise<void>) => Promise<void>,
  ): Promise<void> {
    if (!lineage) return write((_, run) => run());
    const attempt = async (broken: Set<object>, run: () => Promise<void>) => {
      if (broken.has(lineage) || this.#broken.has(lineage)) throw refuseLineage(sessionId);
      try {
        await run();
      } catch (error) {
        broken.add(lineage);
        if (isOfStatement(error)) this.#broken.add(lineage); // the group is repeated without this write
        throw error;
      }
    };
    try {
      await write(attempt);
    } catch (error) {
      this.#broken.add(lineage);
      throw error;
    }
  }

  async *read(sessionId: SessionId, afterSeq: Seq, limit = Number.POSITIVE_INFINITY): AsyncIterable<readonly string[]> {
    for (let seq = afterSeq, left = limit; left > 0; ) {
      const wanted = Math.min(left, chunkRows);
      const texts = await this.#readChunk(sessionId, seq, wanted);
      if (texts.length > 0) yield texts;
      if (texts.length < wanted) return;
      seq += texts.length; // no gaps (EVT1)
      left -= texts.length;
    }
  }

  async find(sessionId: SessionId, ...keys: readonly string[]): Promise<readonly string[]> {
    if (keys.length === 0) return [];
    const rows = await lookUp(
      () => this.#sql<TextRow[]>`
        select text from events where session = (select key from sessions where id = ${sessionId})
        and events.key = any(${[...keys]}) order by seq`,
    );
    return rows.map(({ text }) => text);
  }

  records(sessionId: SessionId, toolCallId: ToolCallId | ResponseId): Promise<readonly JournalRecord[]> {
    return lookUp(() => listRecords(this.#sql, sessionId, toolCallId));
  }

  async #readChunk(sessionId: SessionId, afterSeq: Seq, limit: number): Promise<string[]> {
    const rows = await lookUp(
      () => this.#sql<TextRow[]>`
        select text from events where session = (select key from sessions where id = ${sessionId})
        and seq > ${afterSeq} order by seq limit ${limit}`,
    );
    return rows.map(({ text }) => text);
  }
}

/** Whether an append depends only on the end of its log and on its authority, and changes nothing outside its session. */
function isPlain({ grants = [], usedGrants, voters = [], outsideCall, authority, passkey }: Append): boolean {
  const others = grants.length + (usedGrants?.ids.length ?? 0) + voters.length;
  return others === 0 && !outsideCall && !passkey && authority?.provedSince === undefined;
}

/** Appends within a transaction. All checks come first, so that a rejected append has changed nothing. */
async function append(group: WriteTransaction, change: Append): Promise<void> {
  const { sql } = group;
  const end = group.locate(change.sessionId);
  if (!end) throw refuseUnknown(change);
  await requireAuthority(sql, change.authority);
  if (end.seq !== change.expectedSeq) throw refuseSeq(change, end.seq); // mutant: place
  await requireHeld(sql, change.usedGrants);
  await requireVotes(sql, change.voters);
  await requireUse(sql, change.passkey);
  await requireFreeKey(sql, change.outsideCall);
  await requireFreeKeys(sql, end, change);
  end.seq += change.events.length;
  if (change.events.length > 0) group.grown.set(change.sessionId, end.seq);
  const batch = new Batch();
  batch.add({ ...change, audit: [] }, end);
  await Promise.all([
    batch.store(sql, sql`true`), // the session's row is locked and has been checked
    ...(change.usedGrants?.ids ?? []).map((id) => countUse(group, id)),
    ...(change.outsideCall ? [addCall(sql, end.key, change.outsideCall)] : []),
  ]);
  await countPasskeyUse(sql, change.passkey);
  for (const grant of change.grants ?? []) await storeGrant(group, grant);
  for (const entry of change.audit ?? []) await group.audit(change.sessionId, end, entry);
}

/**
 * Requires new keys. No other transaction can add keys meanwhile, because the session's row is locked.
 * @throws StoreError `conflict`
 */
async function requireFreeKeys(sql: Query, end: LogEnd, change: Append): Promise<void> {
  const keys = change.events.flatMap(({ key }) => (key === undefined ? [] : [key]));
  if (keys.length === 0) return;
  const twice = keys.find((key, n) => keys.indexOf(key) !== n);
  const [taken] = await sql<{ key: string }[]>`
    select key from events where session = ${end.key} and key = any(${keys}) limit 1`;
  if (twice !== undefined || taken) throw refuseKey(change, twice ?? taken?.key);
}
