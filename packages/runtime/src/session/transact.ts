import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import {
  type AuditEntry,
  type Awaitable,
  type Command,
  type JournalRecord,
  RefusalError,
  type WireErrorCode,
} from '@parleyhq/core';
import type { Logger } from 'pino';
import type { MissedEvents } from './missed-events.ts';
import type { Performed, PerformOptions } from './perform-options.ts';
import { mayBeStale, SupersededError } from './superseded.ts';

/** A command that is ready to be decided, and what is stored with it. */
export interface Transaction extends PerformOptions {
  readonly command: Command;
  /** Whether what was read for it still holds; called right before it is decided, true by default. */
  readonly isUpToDate?: () => boolean;
}

/** Reads what a command rests on. Called again if that has changed; returns undefined if nothing remains to be done. */
export type Prepare = () => Awaitable<Transaction | undefined>;

/** Returns a transaction that stores private records of open calls and no event. */
export function toRecording(records: readonly JournalRecord[], audit?: readonly AuditEntry[]): Transaction {
  return { command: { type: 'record', toolCallIds: records.map(({ toolCallId }) => toolCallId) }, records, audit };
}

export interface Patience {
  /** Stops further attempts. */
  readonly signal?: AbortSignal | undefined;
}

/** What a transaction needs of a session's writer. */
export interface Writer {
  /** @throws RefusalError `not_found` after the end of the session */
  requireLife(): void;
  /** Events that a decision may have missed. */
  readonly missed: Pick<MissedEvents, 'count' | 'underWay' | 'read'>;
  /** Decides a transaction on the newest state, stores and publishes it. */
  commit(transaction: Transaction): Promise<Performed>;
}

/**
 * Performs a command. This is the only place that decides a command again: it is prepared and decided anew if what it rests on was
 * superseded before it was stored (SEC9, APR4, TEAM3), or if it missed an event that may change the decision.
 * A command that is prepared without a promise is decided at once, so that decisions keep the order of the requests.
 * @throws RefusalError the decision's, or `storage_*` if nothing of it was stored; `not_found` after the end of the session
 */
export async function transact(writer: Writer, prepare: () => Awaitable<Transaction>): Promise<Performed>;
export async function transact(writer: Writer, prepare: Prepare): Promise<Performed | undefined>;
export async function transact(writer: Writer, prepare: Prepare): Promise<Performed | undefined> {
  const { missed } = writer;
  writer.requireLife(); // once: the end of a session is itself a command, which may be decided again after it began
  for (let round = 0; ; round += 1) {
    if (round > 1) await setImmediate(); // whatever repeats, the process goes on with other work
    if (missed.underWay) await missed.underWay.catch(() => undefined); // its caller handles the error
    const { count } = missed;
    try {
      const prepared = prepare();
      const transaction = prepared instanceof Promise ? await prepared : prepared;
      if (!transaction) return undefined;
      if (prepared instanceof Promise) writer.requireLife(); // it may have ended meanwhile
      if (transaction.isUpToDate?.() === false) continue;
      return await writer.commit(transaction);
    } catch (error) {
      if (error instanceof SupersededError) continue;
      if (!mayBeStale(error)) throw error;
      await missed.read();
      if (missed.count === count) throw error;
    }
  }
}

const passing: ReadonlySet<WireErrorCode> = new Set(['storage_full', 'storage_busy', 'storage_failed', 'retry_later']);

/** Refusals of a command that came too late: its call or its session has ended. */
const overdue: ReadonlySet<WireErrorCode> = new Set(['closed', 'not_found']);

/**
 * Performs a command that no client would repeat, such as a result or the end of a turn, retrying until it is stored: a full
 * disk delays a turn and never loses it (DUR8). Returns as well if it came too late or `signal` aborts.
 * @throws any other error
 */
export async function transactUntilStored(
  writer: Writer,
  prepare: Prepare,
  { log, signal }: Patience & { readonly log: Logger },
): Promise<void> {
  let last: Transaction | undefined;
  let isKept = false;
  const prepareOnce: Prepare = () => {
    if (isKept) {
      isKept = false;
      return last; // the store failed: what was prepared is still right, and authors' code is not run again
    }
    const prepared = prepare();
    if (!(prepared instanceof Promise)) return prepared;
    return prepared.then((transaction) => {
      last = transaction;
      return transaction;
    });
  };
  for (let delayMs = 50; !signal?.aborted; delayMs = Math.min(2 * delayMs, 2000)) {
    try {
      await transact(writer, prepareOnce);
      return;
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      isKept = last !== undefined;
      if (overdue.has(error.code)) return;
      if (!passing.has(error.code)) throw error;
      log.warn({ code: error.code, delayMs }, 'not stored yet, trying again');
      await sleep(delayMs, undefined, signal && { signal }).catch(() => undefined); // aborted: the loop ends
    }
  }
}
