import {
  canonicalise,
  type Escalation,
  type InteractionSpec,
  narrowAudience,
  narrowQuorum,
  needsSeveral,
  type OpenCall,
  ToolError,
} from '@parleyhq/core';
import { type Asking, joinEscalations } from '../tools/policy.ts';

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
  const decide = narrowQuorum(demand.decide, bounds.decide);
  const escalate = narrowEscalation(demand.escalate, bounds);
  return {
    ...demand,
    ...(audience && { audience }),
    ...(visibility && { visibility }),
    ...(risk && { risk }),
    ...(decide && { decide }),
    ...(escalate.length > 0 && { escalate }),
  };
}

/** Whom a tool wants asked in time is narrowed as its audience is; then there are the steps of the configuration itself (TEAM5). */
function narrowEscalation(wanted: readonly Escalation[] = [], { audience: most, escalate = [] }: Asking): Escalation[] {
  const own = wanted.flatMap((step) => {
    const audience = narrowAudience(step.audience, most);
    return audience && audience.principals?.length !== 0 ? [{ ...step, audience }] : [];
  });
  return joinEscalations([...own, ...escalate]);
}

/** Only an approval counts votes; where several must agree, it is for exactly what all of them saw, once (TEAM3). */
export function limitToQuorum({ decide, ...spec }: InteractionSpec): InteractionSpec {
  if (spec.type !== 'approval' || !decide) return spec;
  if (!needsSeveral({ decide })) return { ...spec, decide };
  const { editable: _, editPath: __, rules: ___, ...shown } = spec;
  return { ...shown, decide, approvalScopes: ['once'] };
}

/** Whether the configuration would still ask what is asked already: it may have been changed since (TEAM1). */
export function isWithin({ audience: asked, visibility, decide }: Asking, bounds: Asking): boolean {
  const audience = narrowAudience(asked, undefined); // of its own: whoever was asked besides is asked by the escalation
  const narrowed = narrowAudience(audience, bounds.audience);
  const isAsHidden = visibility !== undefined || bounds.visibility === undefined;
  const isDecidedSo = canonicalise({ decide: narrowQuorum(decide, bounds.decide) }) === canonicalise({ decide });
  return isAsHidden && isDecidedSo && canonicalise({ audience: narrowed }) === canonicalise({ audience });
}
