import {
  type Audience,
  type Escalation,
  type InteractionSpec,
  isPersonal,
  narrowAudience,
  narrowQuorum,
  needsSeveral,
  type Quorum,
  type Tool,
} from '@parleyhq/core';
import { joinReviews, type Review, type Reviewing } from './review.ts';

/** From the most lenient to the strictest. */
export const policyEffects = ['allow', 'review', 'ask', 'deny'] as const;
export type PolicyEffect = (typeof policyEffects)[number];

/** Configuration of tools whose name matches: `*` is any text, `?` one character (APR3). */
export interface Policy extends Reviewing {
  readonly tool: string;
  readonly effect?: PolicyEffect | undefined;
  /** People whom the tool may ask; its own audience can only narrow this (TEAM1). */
  readonly audience?: Audience | undefined;
  /** Minimum number of votes for its approvals (TEAM3). */
  readonly decide?: Quorum | undefined;
  /** People who are asked in addition after some time; unlike `audience` this widens who is asked (TEAM5). */
  readonly escalate?: readonly Escalation[] | undefined;
  /** Hides its calls from everybody outside the audience, from their start (TEAM1). */
  readonly visibility?: 'audience' | undefined;
}

/** The people whom a request asks, and who else sees it. At high risk the requesters are not among them (TEAM2). */
export type Asking = Pick<InteractionSpec, 'audience' | 'visibility' | 'risk' | 'decide' | 'escalate'>;

/**
 * Whether a call may run: it runs, a reviewer decides whether a person is asked, a person is asked first, or it is denied for a
 * reason. `tool`: the tool decides itself.
 */
export type Permission =
  | { readonly kind: 'ask' | 'tool' }
  | { readonly kind: 'review'; readonly review: Review }
  | { readonly kind: 'allow'; readonly by: 'policy' | 'mode' }
  | { readonly kind: 'deny'; readonly by: 'policy' | 'mode'; readonly reason: string };

/** Verdict of a policy or a plugin's function on a call. */
export interface GivenEffect {
  readonly effect: PolicyEffect;
  /** The plugin whose function it was; undefined for a policy. */
  readonly plugin?: string;
}

/** Returns the strictest verdict, whatever their order: contradictory ones fail closed. */
export function strictest(given: readonly (GivenEffect | undefined)[]): GivenEffect | undefined {
  const all = policyEffects.toReversed().map((effect) => given.find((each) => each?.effect === effect));
  return all.find((found) => found !== undefined);
}

/** Returns the effect of the strictest policy that matches one of these names. */
export function findEffect(policies: readonly Policy[], names: readonly string[]): PolicyEffect | undefined {
  const fitting = policies.filter(({ effect, tool }) => effect && names.some((name) => fits(tool, name)));
  return strictest(fitting.map(({ effect }) => effect && { effect }))?.effect;
}

/** Returns what the policies demand of a tool's reviewer; undefined if there is none, or if they name several. */
export function findReview(policies: readonly Policy[], toolName: string): Review | undefined {
  return joinReviews(policies.filter(({ effect, tool }) => effect === 'review' && fits(tool, toolName)));
}

/** Whether a request is for particular or several people, or hides its call: no reviewer stands for them (LESS3). */
export function isForPeople({ audience, visibility, ...asking }: Asking): boolean {
  return audience !== undefined || visibility !== undefined || needsSeveral(asking);
}

/** Combines all matching policies: whom a tool may ask, how many of them decide, and whether its calls are hidden. */
export function findAsking(policies: readonly Policy[], toolName: string): Asking {
  const fitting = policies.filter(({ tool }) => fits(tool, toolName));
  const audience = fitting.reduce<Audience | undefined>((all, each) => narrowAudience(all, each.audience), undefined);
  const decide = fitting.reduce<Quorum | undefined>((all, each) => narrowQuorum(all, each.decide), undefined);
  const escalate = joinEscalations(fitting.flatMap((each) => each.escalate ?? []));
  const isHidden = fitting.some(({ visibility }) => visibility !== undefined);
  return {
    ...(audience && { audience }),
    ...(decide && { decide }),
    ...(escalate.length > 0 && { escalate }),
    ...(isHidden && { visibility: 'audience' }),
  };
}

/** Sorts the steps by time; of two at the same time the later one is delayed by a millisecond. */
export function joinEscalations(steps: readonly Escalation[]): Escalation[] {
  const joined: Escalation[] = [];
  for (const step of [...steps].sort((a, b) => a.afterMs - b.afterMs)) {
    const soonest = (joined.at(-1)?.afterMs ?? 0) + 1;
    joined.push({ ...step, afterMs: Math.max(step.afterMs, soonest) });
  }
  return joined;
}

type JudgedTool = Pick<Tool, 'name' | 'readOnly' | 'edits' | 'asking' | 'isChanged'>;

/**
 * Decides whether a call may run, by the policies, the session's mode and `gated`, the verdict of plugins. In order of
 * precedence: a denial, plan mode, a demand to ask or a changed definition, a review, and last everything that allows; an unknown
 * mode allows nothing. For a tool that only asks people, only a denial applies.
 */
export function judgeCall(
  { name, readOnly = false, edits = false, asking = false, isChanged = false }: JudgedTool,
  policies: readonly Policy[],
  mode: string,
  gated?: GivenEffect,
): Permission {
  const written = findEffect(policies, [name]);
  const { effect, plugin } = strictest([written && { effect: written }, gated]) ?? {};
  if (effect === 'deny') {
    const whose = plugin === undefined ? 'A policy of this server' : `The plugin "${plugin}"`;
    return { kind: 'deny', by: 'policy', reason: `${whose} denies "${name}".` };
  }
  if (asking) return { kind: 'tool' }; // a person must answer: no policy or mode replaces that
  if (mode === 'plan' && !readOnly) {
    return {
      kind: 'deny',
      by: 'mode',
      reason: `The session is in plan mode, in which only read-only tools run: "${name}" is not one.`,
    };
  }
  if (effect === 'ask' || isChanged) return { kind: 'ask' };
  const asked = findAsking(policies, name);
  if (effect === 'review') {
    const review = findReview(policies, name);
    return review && !isForPeople(asked) ? { kind: 'review', review } : { kind: 'ask' };
  }
  if (effect === 'allow') return needsSeveral(asked) ? { kind: 'tool' } : { kind: 'allow', by: 'policy' }; // a policy has no vote
  if (mode === 'bypassPermissions' || (mode === 'acceptEdits' && edits)) {
    // whoever set the mode may not be among the people asked
    return isPersonal(asked) || needsSeveral(asked) ? { kind: 'tool' } : { kind: 'allow', by: 'mode' };
  }
  return { kind: mode === 'default' || mode === 'acceptEdits' || mode === 'plan' ? 'tool' : 'ask' };
}

/** Whether a glob matches a name. It backtracks only to the last star, so it is quick however many there are (SEC6). */
export function fits(glob: string, name: string): boolean {
  let at = 0;
  let star = -1;
  let resumeAt = 0;
  for (let index = 0; index < name.length; ) {
    if (glob[at] === '*') {
      star = at++;
      resumeAt = index;
    } else if (glob[at] === '?' || glob[at] === name[index]) {
      at += 1;
      index += 1;
    } else if (star >= 0) {
      at = star + 1;
      index = ++resumeAt;
    } else return false;
  }
  return /^\**$/.test(glob.slice(at));
}
