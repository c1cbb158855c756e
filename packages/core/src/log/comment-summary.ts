import * as z from 'zod/mini';
import { nameOf } from '../prompt/interaction.ts';
import type { ChatEvent } from './event.ts';

/** Number of characters of a comment that its summary has at most. */
const longestText = 200;

/** The comments on a prompt, for those who do not read them all (REV4). */
export const commentSummarySchema = z.object({
  count: z.int(),
  /** Position of the last one. */
  seq: z.int(),
  /** Name of whoever wrote the last one. */
  by: z.string(),
  /** The beginning of the last one. */
  text: z.string(),
});

export type CommentSummary = z.infer<typeof commentSummarySchema>;

/** Returns the summary after one more comment; one that it knows changes nothing. */
export function addComment(
  before: CommentSummary | undefined,
  { seq, payload: { by, text } }: ChatEvent<'interaction_comment'>,
): CommentSummary {
  if (before && before.seq >= seq) return before;
  const beginning = text.slice(0, longestText - 1).replace(/[\ud800-\udbff]$/, '');
  const shown = text.length > longestText ? `${beginning}…` : text;
  return { count: (before?.count ?? 0) + 1, seq, by: nameOf(by), text: shown };
}
