import type { Answer, ApprovalScope, FormValues, Json, Principal } from '@parleyhq/core';

/** An answer and the person who gives it: the stage's person by default. */
export type SaidBy = Answer & { readonly by?: Principal };

/** A person's reaction to a prompt: an answer, letting it time out, or a crash of the process or the call's sleep meanwhile. */
export type Reaction = SaidBy | 'timeout' | 'crash' | 'sleep';

/** Optional parts of an approval. */
export interface Consenting {
  readonly scope?: ApprovalScope;
  readonly ruleId?: string;
  readonly editedArgs?: Json;
  readonly reason?: string;
  readonly by?: Principal;
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
