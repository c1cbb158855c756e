import * as z from 'zod/mini';
import { nameOf } from '../prompt/interaction.ts';
import { personOf } from '../prompt/role.ts';
import type { ChatEvent } from './event.ts';

/** Number of characters of a comment that its summary has at most. */
const longestText = 200;

/** The comments on a prompt, for those who do not read them all (REV4). */
export const commentSummarySchema = z.object({
  count: z.int(),
  /** How many of them are by whoever asks; absent if none is. */
  replies: z.optional(z.int()),
  /** Position and time of the last one. */
  seq: z.int(),
  at: z.iso.datetime(),
  /** Person and name of whoever wrote it. */
  person: z.string(),
  by: z.string(),
  /** The beginning of it. */
  text: z.string(),
});

export type CommentSummary = z.infer<typeof commentSummarySchema>;

/** Returns the summary after one more comment; one that it knows changes nothing. */
export function addComment(
  before: CommentSummary | undefined,
  { seq, timestamp: at, payload: { by, text, isAskers } }: ChatEvent<'interaction_comment'>,
): CommentSummary {
  if (before && before.seq >= seq) return before;
  const beginning = text.slice(0, longestText - 1).replace(/[\ud800-\udbff]$/, '');
  const shown = text.length > longestText ? `${beginning}…` : text;
  const replies = (before?.replies ?? 0) + (isAskers ? 1 : 0);
  return {
    count: (before?.count ?? 0) + 1,
    ...(replies > 0 && { replies }),
    ...{ seq, at, person: personOf(by), by: nameOf(by), text: shown },
  };
}
