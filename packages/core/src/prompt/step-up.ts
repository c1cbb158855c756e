import type { Action } from './interaction.ts';
import type { InteractionRequest } from './interaction-request.ts';

/** Whether such an answer must be signed by a passkey of the person who gives it. A refusal need not be. */
export function needsStepUp({ stepUp }: Pick<InteractionRequest, 'stepUp'>, action: Action): boolean {
  return stepUp === true && action !== 'deny' && action !== 'cancel';
}
