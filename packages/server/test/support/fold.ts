import { type ChatEvent, emptyState, reduce, type State } from '@parleyhq/core';

/** What a client makes of a log. */
export function foldOf(events: readonly ChatEvent[]): State {
  return reduce(emptyState, events);
}
