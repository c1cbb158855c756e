import { hash } from 'node:crypto';
import { type AuditEntry, type AuditRow, isRecord, type SessionId, serverChain } from '@parleyhq/core';

/** The end of a chain, to which the next row is linked. */
export type Link = Pick<AuditRow, 'n' | 'hash'>;

/** The link before the first row. */
export const chainStart: Link = { n: 0, hash: '' };

/** Returns a row chained to the previous one by its hash, so that altering, dropping or moving a row breaks the chain (SEC7). */
export function chain(sessionId: SessionId, last: Link, entry: AuditEntry): AuditRow {
  const n = last.n + 1;
  const text = JSON.stringify(sessionId === serverChain ? { n, ...entry } : { sessionId, n, ...entry });
  return { n, text, hash: hashRow(last.hash, text) };
}

function hashRow(before: string, text: string): string {
  return hash('sha256', `${before}\n${text}`);
}

/** A problem in a session's audit, and its row. */
export interface AuditProblem {
  readonly n: number;
  readonly problem: string;
}

/** Settlements in the session's log since auditing began, as seq to interactionId; undefined if the session is deleted. */
export type Settlements = ReadonlyMap<number, string> | undefined;

/**
 * Checks a session's rows against each other and against its log, to find rows that were altered, dropped, moved or made up.
 * Whoever can write the whole database can also rewrite the chain; if that matters, keep the last hash elsewhere.
 */
export function* verifyChain(rows: readonly AuditRow[], settlements: Settlements): Generator<AuditProblem> {
  const next = (yield* verifyLinks(rows)).n + 1;
  const entries = rows.map(({ n, text }): UncheckedRow => ({ ...readEntry(text), n }));
  if (!settlements) {
    if (entries.at(-1)?.event !== 'session_deleted')
      yield { n: next, problem: 'is missing: the session was deleted, and no row says who did it' };
    return;
  }
  yield* compare(entries, settlements, next);
}

/**
 * Checks the rows against each other; for rows of the whole server there is nothing else to check.
 * @returns the end of the chain
 */
export function* verifyLinks(rows: readonly AuditRow[]): Generator<AuditProblem, Link> {
  let last = chainStart;
  for (const { n, text, hash: found } of rows) {
    if (n !== last.n + 1) yield { n: last.n + 1, problem: `is missing: row ${n} follows row ${last.n}` };
    else if (hashRow(last.hash, text) !== found)
      yield { n, problem: 'does not follow from the row before it: one of them was altered or moved' };
    last = { n, hash: found };
  }
  return last;
}

type UncheckedRow = {
  readonly n: number;
  readonly event?: unknown;
  readonly seq?: unknown;
  readonly interactionId?: unknown;
};

/** Events that have no settlement key in the log, or are audited before there is one. */
const unkeyed: ReadonlySet<unknown> = new Set([
  'interaction_vote',
  'interaction_escalated',
  'interaction_expired',
  'tool_call',
  'session_changed',
]);

function* compare(
  entries: readonly UncheckedRow[],
  settlements: ReadonlyMap<number, string>,
  next: number,
): Generator<AuditProblem> {
  const left = new Map(settlements);
  for (const { n, event, seq, interactionId } of entries) {
    if (unkeyed.has(event)) continue;
    const isInLog = left.get(Number(seq)) === interactionId;
    if (isInLog) left.delete(Number(seq));
    else yield { n, problem: 'names a settlement that the log of the session does not have' };
  }
  for (const [seq, interactionId] of left)
    yield { n: next, problem: `is missing: event ${seq} settled ${interactionId}, and no row says who did it` };
}

function readEntry(text: string): Record<string, unknown> {
  try {
    const entry: unknown = JSON.parse(text);
    return isRecord(entry) ? entry : {};
  } catch {
    return {}; // altered: the hash check has reported it
  }
}
