import { canonicalise, narrowAudience, type OpenCall, ToolError } from '@parleyhq/core';
import type { Asking } from '../tools/policy.ts';

/**
 * What a call asks, within what the configuration allows (TEAM1). A call that is hidden stays so: a later prompt that names
 * no audience or risk has that of the last one: whoever is asked sees all of the call.
 * @throws ToolError `interaction_unavailable` where the two name nobody in common
 */
export function narrow<Demand extends Asking>(demand: Demand, bounds: Asking, call: OpenCall | undefined): Demand {
  const visibility = demand.visibility ?? bounds.visibility ?? call?.visibility;
  const risk = demand.risk ?? call?.risk;
  const wanted = demand.audience ?? (call?.visibility && call.audience);
  const audience = narrowAudience(wanted, bounds.audience);
  if (audience?.principals?.length === 0) {
    throw new ToolError('interaction_unavailable', 'The configuration lets this tool ask nobody whom it wants to ask.');
  }
  return { ...demand, ...(audience && { audience }), ...(visibility && { visibility }), ...(risk && { risk }) };
}

/** Whether the configuration would still ask what is asked already: it may have been changed since (TEAM1). */
export function isWithin({ audience, visibility }: Asking, bounds: Asking): boolean {
  const narrowed = narrowAudience(audience, bounds.audience);
  const isAsHidden = visibility !== undefined || bounds.visibility === undefined;
  return isAsHidden && canonicalise({ audience: narrowed }) === canonicalise({ audience });
}
