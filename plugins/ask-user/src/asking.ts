import { type Actor, hasVisible, type InteractionAnswer, maxShownLength, maxTimeoutMs } from '@parleyhq/core';
import * as z from 'zod';

/** Options that all asking tools share (ASK3): asking again is harmless, so a restart needs no approval. */
export const asking = { readOnly: true, hibernates: true, asking: true, onInterrupted: 'retry' } as const;

/** A text to show to people. One that is too long is rejected: it would have to be cut, and people do not answer a cut text. */
export const shownText = z.string().max(maxShownLength).refine(hasVisible, 'has nothing to read');

export const risk = z.enum(['low', 'medium', 'high']).describe('Shown with the question.');

export const timeoutSeconds = z
  .number()
  .positive()
  .max(maxTimeoutMs / 1000)
  .describe('How long to wait for an answer. By default there is no deadline.');

/** Makes a prompt wait even if nobody is connected, and without a deadline unless the caller sets one. */
export function waitFor(seconds?: number) {
  return { timeoutMs: seconds === undefined ? null : seconds * 1000, onUnavailable: 'wait' } as const;
}

export const comments = z
  .boolean()
  .describe('Return early when people comment on the question, with what they said, so that you can reply to them.');

/** Leaves the reply to comments to the program that called, if it wants them (REV4). */
export function hearComments(wanted = false) {
  return wanted ? ({ onComment: 'caller' } as const) : {};
}

/** Returns who answered and when, in the form callers get; an empty object if nobody was asked. */
export function answeredBy({ by, at }: Partial<Pick<InteractionAnswer, 'by' | 'at'>>) {
  return { ...(by && { by: nameActor(by) }), ...(at !== undefined && { at }) };
}

function nameActor({ principal, name }: Actor) {
  return { principal, ...(name !== undefined && { name }) };
}
