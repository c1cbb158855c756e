import { setTimeout as sleep } from 'node:timers/promises';
import { RefusalError, type WireErrorCode } from '@parleyhq/core';
import type { Logger } from 'pino';
import { GrantGoneError } from './undone.ts';

const passing: ReadonlySet<WireErrorCode> = new Set(['storage_full', 'storage_busy', 'storage_failed', 'retry_later']);

/** The command came too late: its call or its session is over. */
const overdue: ReadonlySet<WireErrorCode> = new Set(['closed', 'not_found']);

/**
 * Retries until a command is stored. Used for commands that no client would repeat, such as a result or the end of a turn: a full
 * disk delays a turn and never loses it (DUR8). A command that came too late counts as done.
 * @throws GrantGoneError so that the caller authorises it again (APR4), or any refusal that is neither a temporary failure of the
 * store nor too late
 */
export async function retryUntilStored(
  perform: () => Promise<unknown>,
  { log, signal }: { log: Logger; signal?: AbortSignal | undefined },
): Promise<void> {
  for (let delayMs = 50; !signal?.aborted; delayMs = Math.min(2 * delayMs, 2000)) {
    try {
      await perform();
      return;
    } catch (error) {
      if (!(error instanceof RefusalError) || error instanceof GrantGoneError) throw error;
      if (overdue.has(error.code)) return;
      if (!passing.has(error.code)) throw error;
      log.warn({ code: error.code, delayMs }, 'not stored yet, trying again');
      await sleep(delayMs, undefined, signal && { signal }).catch(() => undefined); // aborted: the loop ends
    }
  }
}
