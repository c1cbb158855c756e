import type { SessionId } from '../basics/id.ts';
import type { CountedCase } from '../log/counted-case.ts';
import type { HiddenCall } from '../log/hidden-call.ts';
import type { CaseSum } from '../log/statistics.ts';

/** A case of a session. `hidden` says who may see it, if its call is hidden (TEAM1). */
export interface StoredCase {
  readonly sessionId: SessionId;
  readonly counted: CountedCase;
  readonly hidden?: HiddenCall | undefined;
  /** If it stands for several cases of one day that differ only in their ids, calls and times; `at` is the newest one's. */
  readonly sum?: CaseSum;
}

export interface CaseReadOptions {
  /** Whether a store that keeps sums may yield them in place of the cases. */
  readonly isSummed?: boolean;
}

export interface CaseFilter {
  readonly sessionId?: SessionId | undefined;
  /** Only cases asked or decided from this time on, and before that one. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/**
 * The cases of all logs, for statistics (LESS1). They are derived from the logs and filled only when they are read, so that
 * appends have no cost; whatever is stored of them may be dropped at any time.
 */
export interface StatisticsStore {
  /** Reads the logs as far as they are not counted, then yields the cases in chunks, in no particular order. */
  read(filter?: CaseFilter, options?: CaseReadOptions): AsyncIterable<readonly StoredCase[]>;
  /** Drops the counted cases; the next read counts the logs again. */
  reset(): Promise<void>;
}
