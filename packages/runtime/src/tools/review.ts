import {
  type InteractionSpec,
  type Reviewed,
  type ReviewedRisk,
  type ReviewResult,
  reviewedRisks,
  riskLevel,
} from '@parleyhq/core';

/** Share of passes that a person is asked about all the same, by default. */
export const defaultSample = 0.05;

/** What the policies of a tool demand of its reviewer (LESS3). */
export interface Review {
  readonly reviewer: string;
  /** The highest risk that it may pass. */
  readonly maxRisk: ReviewedRisk;
  /** Share of its passes that a person is asked about all the same, from 0 to 1. */
  readonly sample: number;
  /** Time allowed to it, in ms; the server's default if absent. */
  readonly timeoutMs?: number;
}

/** Members of a policy with the effect `review`. */
export interface Reviewing {
  readonly reviewer?: string | undefined;
  /** The highest risk that the reviewer may pass; `low` by default. */
  readonly maxRisk?: ReviewedRisk | undefined;
  /** Share of its passes that a person is asked about all the same; 0.05 by default. */
  readonly sample?: number | undefined;
  /** Time allowed to it, in ms. */
  readonly timeoutMs?: number | undefined;
}

/** Combines policies, the strictest member of each; undefined if they name different reviewers, so that a person is asked. */
export function joinReviews(policies: readonly Reviewing[]): Review | undefined {
  const [reviewer, ...others] = new Set(policies.map((each) => each.reviewer));
  if (reviewer === undefined || others.length > 0) return undefined;
  const limits = policies.flatMap(({ timeoutMs }) => timeoutMs ?? []);
  return {
    reviewer,
    maxRisk: policies.every(({ maxRisk }) => maxRisk === 'medium') ? 'medium' : 'low',
    sample: Math.max(...policies.map(({ sample = defaultSample }) => sample)),
    ...(limits.length > 0 && { timeoutMs: Math.min(...limits) }),
  };
}

/** Returns the risk of a call as far as the reviewer may pass it. An absent risk is unknown, not low: a person is asked. */
export function reviewableRisk({ maxRisk }: Review, risk: InteractionSpec['risk']): ReviewedRisk | undefined {
  const known = reviewedRisks.find((each) => each === risk);
  return known !== undefined && riskLevel(known) <= riskLevel(maxRisk) ? known : undefined;
}

/** Describes a call that its risk keeps from being reviewed. */
export function notReviewed({ reviewer, maxRisk }: Review, risk: InteractionSpec['risk']): Reviewed {
  const reason =
    risk === undefined
      ? 'The tool does not state the risk of this call, so it was not reviewed.'
      : `Its risk is ${risk}, and the policy has only ${maxRisk === 'low' ? 'low risk' : 'risks up to medium'} reviewed.`;
  return { name: reviewer, verdict: 'ask', reason, cause: 'risk' };
}

/** Describes a call that a person has denied: a reviewer does not overrule that. */
export function deniedBefore({ reviewer }: Review): Reviewed {
  const reason = 'People did not allow the same when they were asked, so it was not reviewed.';
  return { name: reviewer, verdict: 'ask', reason, cause: 'denied' };
}

/** Returns what came of a review; a fault is in the server's own words, and asks. */
export function toReviewed({ reviewer }: Review, found: ReviewResult | { readonly fault: string }): Reviewed {
  if ('fault' in found) return { name: reviewer, verdict: 'ask', reason: found.fault, cause: 'fault' };
  return { name: reviewer, ...found };
}

/** Whether a call runs without a person. @param drawn - a random number from 0 up to, but not including, 1 */
export function isPassed({ sample }: Review, { verdict, cause }: Reviewed, drawn: number): boolean {
  return verdict === 'pass' && cause === undefined && drawn >= sample;
}
