import { emptyHead, type SessionRecord } from '@parleyhq/core';
import type { ReEntries } from '../call/re-entries.ts';
import { type ChangedSession, type Follower, makeChange } from '../session/change.ts';
import { Visibility } from '../tabs/visibility.ts';
import { dueOf } from '../turn/sleepers.ts';

export interface LeftSessionsOptions {
  /** Whether other nodes store events in the same database: then all unfinished sessions are loaded, to follow them. */
  readonly isShared: boolean;
  readonly publish: Follower;
  readonly reEntries: Pick<ReEntries, 'later'>;
  /** Whether calls of this tool end with the requests that wait for them, so that a restart ended them. */
  readonly endsWithRequest: (toolName: string) => boolean;
}

/** The sessions that an earlier process left and whose calls only wait: at the start they are announced as they are stored (DUR10). */
export class LeftSessions {
  readonly #options: LeftSessionsOptions;

  constructor(options: LeftSessionsOptions) {
    this.#options = options;
  }

  /**
   * Announces a session without loading it, and schedules its examination.
   * @returns false if it must be loaded before the server is ready
   */
  announce(record: SessionRecord, examine: () => Promise<void>): boolean {
    const { session: row, head } = record;
    if (!head || !this.#mayWait(record)) return false;
    const session: ChangedSession & { id: string } = {
      id: row.id,
      visibility: Visibility.none,
      wake: ignore,
      broadcast: ignore,
    };
    const news = { events: [], texts: [], isRecovered: true, isForeign: false, grants: [], answer: undefined };
    this.#options.publish(makeChange(session, { head: emptyHead, row }, { head, row }, news, {}));
    this.#options.reEntries.later(dueOf(head.prompts), examine);
    return true;
  }

  /** Whether its row holds all that is open, and nothing but calls that a later event may wake. */
  #mayWait({ session, head }: SessionRecord): boolean {
    if (this.#options.isShared || !head || head.seq !== session.seq) return false;
    const { calls, lateAnswers, hiddenSince } = head;
    if (lateAnswers.length > 0 || hiddenSince !== undefined || calls.length === 0) return false;
    return !calls.some(({ by, isLive, toolName }) => by && (isLive || this.#options.endsWithRequest(toolName)));
  }
}

function ignore(): void {}
