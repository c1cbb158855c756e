import type { InteractionAnswer, InteractionDemand, ToolContext } from '@parleyhq/core';
import { interactionSpecSchema } from '@parleyhq/core';

type ScriptedAnswer = Pick<InteractionAnswer, 'action'> & Partial<InteractionAnswer>;

/** A context whose prompts get this answer; `asked` records them. */
export function scriptContext(answer: ScriptedAnswer | 'timeout') {
  const asked: InteractionDemand[] = [];
  const requestInteraction: ToolContext['requestInteraction'] = async (demand) => {
    interactionSpecSchema.parse(demand);
    asked.push(demand);
    if (answer === 'timeout') return { ok: false, error: 'timeout' };
    const outcome = await demand.onResponse?.(answer as InteractionAnswer);
    return outcome && 'complete' in outcome ? outcome.complete : outcome;
  };
  return { asked, ctx: { requestInteraction } as ToolContext };
}
