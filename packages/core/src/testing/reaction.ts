import type { Answer } from '../answer.ts';
import type { FormValues } from '../field.ts';
import type { ApprovalScope } from '../interaction.ts';
import type { Json } from '../json.ts';
import type { Principal } from '../role.ts';

/** An answer, and whose it is: the stage's person by default. */
export type SaidBy = Answer & { readonly by?: Principal };

/** What a person does about a prompt: answers, lets its time run out, or is there when the process dies. */
export type Reaction = SaidBy | 'timeout' | 'crash';

/** What an approval may say besides yes. */
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
