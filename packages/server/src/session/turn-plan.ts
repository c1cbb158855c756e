import type { TurnPlan } from '@parleyhq/core';
import type { Runtime } from '../runtime.ts';
import type { LiveSession } from './live-session.ts';

/** The turn that a command would start in this session, should it start one. */
export function planTurn(runtime: Runtime, session: LiveSession): TurnPlan {
  const { model } = runtime.agents;
  return {
    turnId: runtime.newId(),
    agent: session.row.agent,
    ...(model !== undefined && { model }),
    owner: runtime.nodeId,
  };
}
