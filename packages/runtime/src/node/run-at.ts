import type { Instant } from '@parleyhq/core';
import type { Node } from './node.ts';

/** Runs something at a time, however far away. @returns a function that cancels it */
export function runAt(at: Instant, { clock, now }: Pick<Node, 'clock' | 'now'>, run: () => void): () => void {
  return clock.after(at - now(), run);
}
