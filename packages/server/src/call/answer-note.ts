import type { CallResult, InteractionResponse } from '@parleyhq/core';

const verbs: Record<InteractionResponse['action'], string> = {
  approve: 'said yes',
  deny: 'said no',
  cancel: 'cancelled',
  submit: 'answered',
};

/**
 * What the people said who answered a call's prompts, in words for the model (APR5): their reasons, unless the result already
 * has them, and that arguments were edited, which the model could not know. A grant says nothing.
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
