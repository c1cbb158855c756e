import { type Actor, hasVisible, type InteractionAnswer, maxShownLength, maxTimeoutMs } from '@parleyhq/core';
import * as z from 'zod';

/** What the asking tools have in common (ASK3): asking again is harmless, so that a restart needs no approval. */
export const asking = { readOnly: true, hibernates: true, asking: true, onInterrupted: 'retry' } as const;

/** A text that somebody is to read. One that is too long is refused: nobody answers a text that was cut. */
export const shownText = z.string().max(maxShownLength).refine(hasVisible, 'has nothing to read');

export const risk = z.enum(['low', 'medium', 'high']).describe('Shown with the question.');

export const timeoutSeconds = z
  .number()
  .positive()
  .max(maxTimeoutMs / 1000)
  .describe('How long to wait for an answer. By default there is no deadline.');

/** Waits even if nobody is there, and for as long as it takes unless the caller says how long. */
export function waitFor(seconds?: number) {
  return { timeoutMs: seconds === undefined ? null : seconds * 1000, onUnavailable: 'wait' } as const;
}

/** Who answered and when, as callers learn it; nothing if nobody was asked. */
export function answeredBy({ by, at }: Partial<Pick<InteractionAnswer, 'by' | 'at'>>) {
  return { ...(by && { by: nameActor(by) }), ...(at !== undefined && { at }) };
}

function nameActor({ principal, name }: Actor) {
  return { principal, ...(name !== undefined && { name }) };
}
