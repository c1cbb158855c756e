import { type ChatEvent, emptyState, reduce, type State } from '@parley/core';

/** What a client makes of a log. */
export function foldOf(events: readonly ChatEvent[]): State {
  return reduce(emptyState, events);
}
