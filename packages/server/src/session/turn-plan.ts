import type { Session, TurnPlan } from '@parleyhq/core';
import type { Runtime } from '../runtime.ts';

/** The turn that a command would start in this session, should it start one. */
export function planTurn(runtime: Runtime, { agent }: Session): TurnPlan {
  const { model } = runtime.agents;
  return {
    turnId: runtime.newId(),
    agent,
    ...(model !== undefined && { model }),
    owner: runtime.nodeId,
  };
}
