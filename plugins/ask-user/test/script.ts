import type { InteractionAnswer, InteractionDemand, ToolContext } from '@parleyhq/core';
import { interactionSpecSchema } from '@parleyhq/core';

type Said = Pick<InteractionAnswer, 'action'> & Partial<InteractionAnswer>;

/** A context whose person gives one answer, or none before the deadline. */
export function scriptContext(said: Said | 'timeout') {
  const asked: InteractionDemand[] = [];
  const requestInteraction: ToolContext['requestInteraction'] = async (demand) => {
    interactionSpecSchema.parse(demand);
    asked.push(demand);
    if (said === 'timeout') return { ok: false, error: 'timeout' };
    const outcome = await demand.onResponse?.(said as InteractionAnswer);
    return outcome && 'complete' in outcome ? outcome.complete : outcome;
  };
  return { asked, ctx: { requestInteraction } as ToolContext };
}
