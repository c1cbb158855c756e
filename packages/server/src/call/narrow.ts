import { narrowAudience, type OpenCall, ToolError } from '@parleyhq/core';
import type { Asking } from '../tools/policy.ts';

/**
 * What a call asks, within what the configuration allows (TEAM1). A call that is hidden stays so: a later prompt that says
 * nothing of it asks whom the last one asked.
 * @throws ToolError `interaction_unavailable` where the two name nobody in common
 */
export function narrow<Demand extends Asking>(demand: Demand, bounds: Asking, call: OpenCall | undefined): Demand {
  const visibility = demand.visibility ?? bounds.visibility ?? call?.visibility;
  const isLater = demand.visibility === undefined && call?.visibility !== undefined;
  const wanted = demand.audience ?? (isLater ? call.audience : undefined);
  const audience = narrowAudience(wanted, bounds.audience);
  if (audience?.principals?.length === 0) {
    throw new ToolError('interaction_unavailable', 'The configuration lets this tool ask nobody whom it wants to ask.');
  }
  return { ...demand, ...(audience && { audience }), ...(visibility && { visibility }) };
}
