import { type Annotation, type InteractionRequest, type Json, quoteLines } from '@parleyhq/core';
import { draftStore } from '../browser/draft-store.ts';

/** What a person has entered for an approval, and not sent. */
export interface ApprovalDraft {
  readonly reason?: string | undefined;
  /** The arguments, or the part that may be edited, as typed. */
  readonly edited?: string | undefined;
  readonly comments: readonly Annotation[];
}

/** Stores what is entered, so that it survives a reload and the end of its prompt (INT18, INT5). */
export function keepApproval(key: string, attempt: string, { reason, edited, comments }: ApprovalDraft): void {
  const input = {
    ...(reason !== undefined && { reason }),
    ...(edited !== undefined && { edited }),
    ...(comments.length > 0 && { comments: comments as unknown as Json }),
  };
  draftStore.write(key, { input, attempt });
}

/** Returns what was entered, as far as it fits this attempt: an edit belongs to one, a comment to the lines that it quotes. */
export function resumeApproval(key: string, { interactionId, subject }: InteractionRequest): ApprovalDraft {
  const { attempt, input: { reason, edited, comments } = {} } = draftStore.resume(key) ?? {};
  return {
    reason: typeof reason === 'string' ? reason : undefined,
    edited: typeof edited === 'string' && attempt === interactionId ? edited : undefined,
    comments: readComments(comments).filter(({ lines, quote }) => subject && quoteLines(subject, lines) === quote),
  };
}

/** Reads the comments of a draft. */
export function readComments(kept: Json | undefined): readonly Annotation[] {
  return Array.isArray(kept) ? (kept as unknown as readonly Annotation[]) : [];
}

/** Returns "1 comment", "3 comments"; empty if there are none. */
export function countComments({ length }: readonly Annotation[] = []): string {
  return length === 0 ? '' : length === 1 ? '1 comment' : `${length} comments`;
}
