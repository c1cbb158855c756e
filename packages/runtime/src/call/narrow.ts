import {
  canonicalise,
  type Escalation,
  type InteractionSpec,
  narrowAudience,
  narrowQuorum,
  needsSeveral,
  needsVotes,
  type OpenCall,
  ToolError,
} from '@parleyhq/core';
import { type Asking, joinEscalations } from '../tools/policy.ts';

/**
 * Limits what a call asks to what the configuration allows (TEAM1). A hidden call stays hidden: a later prompt that names no
 * audience or risk has those of the last one, because everybody it asks sees all of the call.
 * @throws ToolError `interaction_unavailable` if the two have nobody in common
 */
export function narrow<Demand extends Asking>(demand: Demand, bounds: Asking, call: OpenCall | undefined): Demand {
  const visibility = demand.visibility ?? bounds.visibility ?? call?.visibility;
  const risk = demand.risk ?? call?.risk;
  const wanted = demand.audience ?? (call?.visibility && call.audience);
  const audience = narrowAudience(wanted, bounds.audience);
  if (audience?.principals?.length === 0) {
    throw new ToolError(
      'interaction_unavailable',
      'The configuration allows none of the people whom this tool wants to ask.',
    );
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

/** Limits a tool's escalation like its audience, then appends the steps of the configuration (TEAM5). */
function narrowEscalation(wanted: readonly Escalation[] = [], { audience: most, escalate = [] }: Asking): Escalation[] {
  const own = wanted.flatMap((step) => {
    const audience = narrowAudience(step.audience, most);
    return audience && audience.principals?.length !== 0 ? [{ ...step, audience }] : [];
  });
  return joinEscalations([...own, ...escalate]);
}

/**
 * Removes votes from everything but approvals. If several people must agree, they consent once to exactly what all of them saw
 * (TEAM3).
 * @throws ToolError `not_supported` for a form that consents to something, if votes are counted
 */
export function limitToQuorum({ decide, ...spec }: InteractionSpec): InteractionSpec {
  if (spec.consents && needsVotes({ decide }))
    throw new ToolError('not_supported', 'Several people decide about this, and a choice of answers has no votes.');
  if (spec.type !== 'approval' || !decide) return spec;
  if (!needsSeveral({ decide })) return { ...spec, decide };
  const { editable: _, editPath: __, rules: ___, ...shown } = spec;
  return { ...shown, decide, approvalScopes: ['once'] };
}

/** Whether the configuration still allows what is already asked: it may have been changed since (TEAM1). */
export function isWithin({ audience: asked, visibility, decide }: Asking, bounds: Asking): boolean {
  const audience = narrowAudience(asked, undefined); // the prompt's own audience, without the people added by escalation
  const narrowed = narrowAudience(audience, bounds.audience);
  const isAsHidden = visibility !== undefined || bounds.visibility === undefined;
  const isDecidedSo = canonicalise({ decide: narrowQuorum(decide, bounds.decide) }) === canonicalise({ decide });
  return isAsHidden && isDecidedSo && canonicalise({ audience: narrowed }) === canonicalise({ audience });
}
