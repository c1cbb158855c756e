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

export const policyEffects = ['allow', 'ask', 'deny'] as const;
export type PolicyEffect = (typeof policyEffects)[number];

/** What the config says of tools whose name fits: `*` is any text, `?` one character (APR3). */
export interface Policy {
  readonly tool: string;
  readonly effect?: PolicyEffect | undefined;
  /** Whom the tool asks at most: what it asks itself only narrows this further (TEAM1). */
  readonly audience?: Audience | undefined;
  /** How many votes its approvals take at least (TEAM3). */
  readonly decide?: Quorum | undefined;
  /** Who is asked besides, in time; what the audience narrows, this widens (TEAM5). */
  readonly escalate?: readonly Escalation[] | undefined;
  /** Hides its calls from all others, from their start (TEAM1). */
  readonly visibility?: 'audience' | undefined;
}

/** Whom a request asks, and who else sees it. At high risk requesters are not among them (TEAM2). */
export type Asking = Pick<InteractionSpec, 'audience' | 'visibility' | 'risk' | 'decide' | 'escalate'>;

/** Whether a call may run: it does, it is asked about first, or it may not and why. `tool`: the tool decides for itself. */
export type Permission =
  | { readonly kind: 'ask' | 'tool' }
  | { readonly kind: 'allow'; readonly by: 'policy' | 'mode' }
  | { readonly kind: 'deny'; readonly by: 'policy' | 'mode'; readonly reason: string };

/** What a policy says of a call, or the function of a plugin. */
export interface GivenEffect {
  readonly effect: PolicyEffect;
  /** Whose function it was. */
  readonly plugin?: string;
}

/** The strictest of all that is said, whatever the order: two that contradict each other fail closed. */
export function strictest(given: readonly (GivenEffect | undefined)[]): GivenEffect | undefined {
  const order = ['deny', 'ask', 'allow'] as const;
  const all = order.map((effect) => given.find((each) => each?.effect === effect));
  return all.find((found) => found !== undefined);
}

/** The strictest policy that fits. */
export function findEffect(policies: readonly Policy[], toolName: string): PolicyEffect | undefined {
  const fitting = policies.filter(({ tool }) => fits(tool, toolName));
  return strictest(fitting.map(({ effect }) => effect && { effect }))?.effect;
}

/** Whom all policies that fit let a tool ask, how many of them decide, and whether one hides its calls. */
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

/** All steps in the order of their time; of two at the same moment the later waits a millisecond. */
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
 * What policies, the session's mode and `gated`, the functions of plugins, say about a call of a tool. A policy that denies, then plan mode, then a policy that asks and a definition
 * that changed take precedence over everything that allows; an unknown mode allows nothing. To a tool that only asks people none of it applies but a denial.
 */
export function judgeCall(
  { name, readOnly = false, edits = false, asking = false, isChanged = false }: JudgedTool,
  policies: readonly Policy[],
  mode: string,
  gated?: GivenEffect,
): Permission {
  const written = findEffect(policies, name);
  const { effect, plugin } = strictest([written && { effect: written }, gated]) ?? {};
  if (effect === 'deny') {
    const whose = plugin === undefined ? 'A policy of this server' : `The plugin "${plugin}"`;
    return { kind: 'deny', by: 'policy', reason: `${whose} denies "${name}".` };
  }
  if (asking) return { kind: 'tool' }; // a person answers: no policy and no mode does so in their place
  if (mode === 'plan' && !readOnly) {
    return {
      kind: 'deny',
      by: 'mode',
      reason: `The session is in plan mode, in which only read-only tools run: "${name}" is not one.`,
    };
  }
  if (effect === 'ask' || isChanged) return { kind: 'ask' };
  const asked = findAsking(policies, name);
  if (effect === 'allow') return needsSeveral(asked) ? { kind: 'tool' } : { kind: 'allow', by: 'policy' }; // no policy votes
  if (mode === 'bypassPermissions' || (mode === 'acceptEdits' && edits)) {
    return isPersonal(asked) || needsSeveral(asked) ? { kind: 'tool' } : { kind: 'allow', by: 'mode' }; // whoever set the mode is not who is asked
  }
  return { kind: mode === 'default' || mode === 'acceptEdits' || mode === 'plan' ? 'tool' : 'ask' };
}

/** Never goes back further than to the last star: however many there are, a name is done with soon (SEC6). */
function fits(glob: string, name: string): boolean {
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
