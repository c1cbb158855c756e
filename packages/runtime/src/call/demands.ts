import {
  type Asked,
  type Audience,
  type InteractionRequest,
  type Json,
  narrowAudience,
  narrowQuorum,
  type Quorum,
} from '@parleyhq/core';

/** The people that a prompt or an approval asks, at which risk, and how many of them decide. */
export type Demanded = Pick<Asked, 'audience' | 'risk'> & Pick<InteractionRequest, 'decide'>;

type Risk = InteractionRequest['risk'];

/** Returns a demand as a record; empty if it demands nothing. */
export function recordOfDemand({ audience, risk, decide }: Demanded): { readonly [name: string]: Json } {
  return {
    ...(audience && { audience: { ...audience } as Json }),
    ...(decide && { decide: { ...decide } as Json }),
    ...(risk && { risk }),
  };
}

/** Returns what demands at least as much as each of these: the people asked by all, the most votes, and the worst risk. */
export function joinDemands(demands: readonly Demanded[]): Demanded {
  const audience = demands.reduce<Audience | undefined>((all, each) => narrowAudience(all, each.audience), undefined);
  const decide = demands.reduce<Quorum | undefined>((all, each) => narrowQuorum(all, each.decide), undefined);
  const risk = worstRisk(demands.map((each) => each.risk));
  return { ...(audience && { audience }), ...(decide && { decide }), ...(risk && { risk }) };
}

function worstRisk(risks: readonly Risk[]): Risk {
  return (['high', 'medium', 'low'] as const).find((each) => risks.includes(each));
}
