import type { CallResult, InteractionResponse } from '@parleyhq/core';

const verbs: Record<InteractionResponse['action'], string> = {
  approve: 'said yes',
  deny: 'said no',
  cancel: 'cancelled',
  submit: 'answered',
};

/**
 * Describes for the model what people said when they answered a call's prompts (APR5): reasons that the result does not contain,
 * and edited arguments, which the model could not know. Answers by a grant are left out.
 */
export function noteOf(answers: readonly InteractionResponse[], returned: CallResult): string | undefined {
  const own = answers.filter(({ grantId }) => grantId === undefined);
  if (own.length === 0) return undefined;
  const known = JSON.stringify(returned);
  const lines = own.flatMap(({ action, reason, editedArgs }) => [
    ...(action === 'approve' && editedArgs !== undefined
      ? [`A person changed the arguments before they said yes, to ${JSON.stringify(editedArgs)}`]
      : []),
    ...(reason !== undefined && !known.includes(JSON.stringify(reason).slice(1, -1))
      ? [`A person ${verbs[action]}: “${reason}”`]
      : []),
  ]);
  return lines.length > 0 ? lines.join('\n') : undefined;
}
