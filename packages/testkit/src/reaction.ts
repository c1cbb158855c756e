import {
  type Annotation,
  type Answer,
  type ApprovalScope,
  type FormValues,
  type Json,
  type Principal,
  quoteLines,
  type Subject,
} from '@parleyhq/core';

/** What a person says about lines of the subject, by the number of the line from 1, or of the first and last one: `'4-6'`. */
export type LineComments = Readonly<Record<number | `${number}-${number}`, string>>;

/** An answer and the person who gives it: the stage's person by default. `comments` become annotations that quote their lines. */
export type SaidBy = Answer & { readonly by?: Principal; readonly comments?: LineComments };

/** A person's reaction to a prompt: an answer, letting it time out, or a crash of the process or the call's sleep meanwhile. */
export type Reaction = SaidBy | 'timeout' | 'crash' | 'sleep';

/** Optional parts of an approval. */
export interface Consenting {
  readonly scope?: ApprovalScope;
  readonly ruleId?: string;
  readonly editedArgs?: Json;
  readonly reason?: string;
  readonly by?: Principal;
  readonly comments?: LineComments;
}

export function submit(input: FormValues = {}, by?: Principal): SaidBy {
  return { action: 'submit', input, ...(by && { by }) };
}

export function approve({ scope, ...more }: Consenting = {}): SaidBy {
  return { action: 'approve', ...(scope && { approvalScope: scope }), ...more };
}

export function deny(reason?: string, by?: Principal): SaidBy {
  return { action: 'deny', ...(reason !== undefined && { reason }), ...(by && { by }) };
}

export function cancel(reason?: string, by?: Principal): SaidBy {
  return { action: 'cancel', ...(reason !== undefined && { reason }), ...(by && { by }) };
}

/** Adds comments on lines of the prompt's subject to an answer: `comment(deny('Not yet.'), { 2: 'On staging first.' })` (REV1). */
export function comment(said: SaidBy, comments: LineComments): SaidBy {
  return { ...said, comments };
}

/** Turns comments into annotations. @throws Error if the subject does not have such a line */
export function annotate(subject: Subject | undefined, comments: LineComments): readonly Annotation[] {
  return Object.entries(comments).map(([place, text]) => {
    const [from, to = from] = place.split('-').map(Number) as [number, number?];
    const lines = [from, to] as const;
    const quote = subject && quoteLines(subject, lines);
    if (quote === undefined) throw new Error(`The subject has no line ${place} to comment on.`);
    return { lines, quote, comment: text };
  });
}
