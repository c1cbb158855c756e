import { setTimeout as sleep } from 'node:timers/promises';
import { RefusalError, type WireErrorCode } from '@parleyhq/core';
import type { Runtime } from '../runtime.ts';

const passing: ReadonlySet<WireErrorCode> = new Set(['storage_full', 'storage_busy', 'storage_failed', 'retry_later']);

/**
 * Performs what nobody waits for with a finger on a button, a result or a turn's end, until it is stored: a full disk
 * delays a turn and never loses it (DUR8). A command that came too late (`closed`) is done.
 */
export async function persist(runtime: Runtime, perform: () => Promise<unknown>, signal?: AbortSignal): Promise<void> {
  for (let delayMs = 50; !signal?.aborted; delayMs = Math.min(2 * delayMs, 2000)) {
    try {
      await perform();
      return;
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      if (error.code === 'closed') return;
      if (!passing.has(error.code)) throw error;
      runtime.log.warn({ code: error.code, delayMs }, 'not stored yet, trying again');
      await sleep(delayMs, undefined, signal && { signal }).catch(() => undefined); // aborted: the loop ends
    }
  }
}
