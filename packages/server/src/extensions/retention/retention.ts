import { type Session, type SessionId, type SessionStore, StoreError } from '@parleyhq/core';
import type { SessionHub } from '@parleyhq/runtime';
import type { Logger } from 'pino';

/** Limits for keeping finished sessions (OPS6). Default: all are kept */
export interface RetentionLimits {
  /** Maximum time since the last change, in ms. */
  readonly maxAgeMs?: number | undefined;
  /** Maximum number of sessions; the most recently changed are kept. */
  readonly maxSessions?: number | undefined;
}

interface RetentionOptions {
  readonly limits: RetentionLimits;
  readonly sessions: Pick<SessionStore, 'list'>;
  readonly hub: Pick<SessionHub, 'open' | 'delete'>;
  /** Whether this process is the one that deletes; it knows all followers of a session. */
  readonly isOurs: () => boolean;
  readonly isFollowedElsewhere: (id: SessionId) => boolean;
  readonly now: () => number;
  readonly log: Logger;
}

/** Interval between sweeps, in ms. */
const sweepMs = { most: 3_600_000, least: 1000 } as const;

const pageRows = 200;

/**
 * Deletes expired sessions: only whole ones in which nothing runs or waits, and which nobody has pinned or open. Their audit is
 * kept (OPS5).
 */
export class Retention {
  readonly #options: RetentionOptions;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /** Starts to sweep; to be called after unfinished work was recovered. */
  start(): void {
    const { maxAgeMs, maxSessions } = this.#options.limits;
    if (maxAgeMs === undefined && maxSessions === undefined) return;
    const everyMs = Math.max(sweepMs.least, Math.min(sweepMs.most, maxAgeMs ?? sweepMs.most));
    const sweep = () =>
      this.#sweep()
        .catch((error: unknown) =>
          this.#options.log.error({ error }, 'old sessions could not be deleted: trying again'),
        )
        .finally(() => {
          if (!this.#isStopped) this.#timer = setTimeout(sweep, everyMs).unref();
        });
    this.#timer = setTimeout(sweep).unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #sweep(): Promise<void> {
    const { sessions, isOurs, log } = this.#options;
    if (!isOurs()) return;
    let [kept, deleted] = [0, 0];
    let last: Session | undefined;
    do {
      const page = await sessions.list({ before: last?.updatedAt, beforeId: last?.id, limit: pageRows });
      for (const { session } of page) {
        if (this.#isStopped) return;
        if (this.#isOver(session, kept) && (await this.#delete(session.id))) deleted += 1;
        else kept += 1;
      }
      last = page.length < pageRows ? undefined : page.at(-1)?.session;
    } while (last);
    if (deleted > 0) log.info({ deleted, kept }, 'expired sessions were deleted');
  }

  #isOver({ updatedAt, status, openCount, pinned }: Session, kept: number): boolean {
    const { limits, now } = this.#options;
    const { maxAgeMs = Number.POSITIVE_INFINITY, maxSessions = Number.POSITIVE_INFINITY } = limits;
    if (status !== 'idle' || openCount > 0 || pinned) return false;
    return kept >= maxSessions || now() - Date.parse(updatedAt) > maxAgeMs;
  }

  /** Deletes a session. @returns false if something began meanwhile, or somebody has it open */
  async #delete(id: SessionId): Promise<boolean> {
    const { hub, isFollowedElsewhere } = this.#options;
    const runtime = await hub.open(id);
    const { head } = runtime.session;
    if (!runtime.isIdle || isFollowedElsewhere(id)) return false;
    try {
      await hub.delete(runtime.session, { seq: head.seq }); // checked a moment ago: nothing was awaited since
      return true;
    } catch (error) {
      // something was stored meanwhile
      if (error instanceof StoreError && error.code === 'conflict') return false;
      throw error;
    }
  }
}
