import type { FormValues, InteractionAnswer, InteractionDemand, Outcome, ToolContext } from '@parleyhq/core';

export const cancelled = { ok: false, cancelled: true } as const;

type FormResult =
  | { readonly ok: true; readonly values: FormValues }
  | typeof cancelled
  | { readonly ok: false; readonly error: 'timeout' };

/** Completes a prompt with its values, or as cancelled. */
export function completeForm({ action, input }: InteractionAnswer): Outcome {
  return { complete: action === 'submit' ? { ok: true, values: input ?? {} } : cancelled };
}

/** Shows a form and waits for it. `onResponse` may only complete or reprompt. @returns the values, or why there are none */
export async function askForm(
  ctx: ToolContext,
  demand: Omit<InteractionDemand, 'type' | 'onTimeout'>,
): Promise<FormResult> {
  return (await ctx.requestInteraction({ onResponse: completeForm, ...demand, type: 'input' })) as FormResult;
}
