import { type ChatEvent, emptyState, reduce, type State } from '@parleyhq/core';

/** Folds a log like a client. */
export function foldOf(events: readonly ChatEvent[]): State {
  return reduce(emptyState, events);
}
