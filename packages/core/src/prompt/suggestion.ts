import type { InteractionId } from '../basics/id.ts';
import { canonicalise, type Json } from '../basics/json.ts';
import type { InteractionRequest } from './interaction-request.ts';
import { needsSeveral } from './quorum.ts';
import { type OfferedRule, offeredRulesSchema, type Rule, type RuleScope } from './rule.ts';

/** A call that a person was asked about, as `suggestRules` receives it. */
export interface AskedCall {
  readonly toolName: string;
  // biome-ignore lint/suspicious/noExplicitAny: the arguments are those of the tool, as its schema reads them
  readonly args: any;
}

/** A case that a suggested rule would have covered, as people see it. */
export interface SuggestedCase {
  readonly interactionId: InteractionId;
  /** ISO 8601 time of the answer. */
  readonly at: string;
  readonly title?: string;
  /** First line of what was shown. */
  readonly text: string;
}

/** A rule that a person is offered because of what they have allowed (LESS2). */
export interface RuleSuggestion {
  /** Identifies the tool, the rule and its exact words: another label is another suggestion. */
  readonly id: string;
  readonly toolName: string;
  readonly label: string;
  /** What this person may choose, the narrower first. */
  readonly scopes: readonly RuleScope[];
  /** Number of approvals that it would have covered, in this session. */
  readonly count: number;
  /** The newest of them, newest first. */
  readonly cases: readonly SuggestedCase[];
}

/** An answer to an approval of one tool. */
export interface PastAnswer {
  /** Whether the person in question allowed it. Denials count whoever gave them. */
  readonly isAllowed: boolean;
  readonly shown: SuggestedCase;
  /** Returns the arguments, each time as a copy. */
  args(): unknown;
}

/** Functions of a plugin, which need not be trusted: whatever they throw or return wrongly suggests nothing. */
export interface SuggestingPlugin {
  suggestRules(calls: readonly AskedCall[]): unknown;
  covers(rule: Rule, args: unknown): unknown;
}

export interface SuggestionWish {
  readonly toolName: string;
  readonly plugin: SuggestingPlugin;
  /** Oldest first. */
  readonly past: readonly PastAnswer[];
  /** The arguments of the open prompt that a rule must cover; without it rules for any of the past calls are found. */
  readonly current?: (() => unknown) | undefined;
  /** Number of approvals from which on a rule is suggested. */
  readonly suggestAfter: number;
  /** Receives what the plugin threw, or in words what is wrong with its rules. */
  readonly onFault: (fault: unknown) => void;
}

export interface FoundRule {
  readonly rule: OfferedRule;
  /** Oldest first. */
  readonly cases: readonly SuggestedCase[];
}

/** Number of different past calls from which rules are sought if there is no open prompt. */
const maxAnchors = 10;

/**
 * Finds the rules that would have covered enough of what a person allowed, with no denial since the first of these cases (LESS2).
 * A rule counts only if the plugin's own `covers` is exactly `true` for each case that it names, and for the open prompt.
 * The plugin's order is kept, which is narrowest first.
 */
export function findRules(wish: SuggestionWish): readonly FoundRule[] {
  const { past, current, suggestAfter, toolName } = wish;
  const allowed = past.filter(({ isAllowed }) => isAllowed);
  if (suggestAfter < 1 || allowed.length < suggestAfter) return [];
  const found = new Map<string, FoundRule>();
  const tried = new Set<string>();
  const anchors = current ? [current] : anchorsOf(allowed);
  for (const anchor of anchors) {
    for (const candidate of suggest(wish, [anchor])) {
      const wanted = canonicalise({ key: candidate.key });
      if (tried.has(wanted)) continue; // a newer call has led to it
      tried.add(wanted);
      const group = casesOf(wish, candidate);
      if (group.length < suggestAfter) continue;
      const calls = [...group.map(({ args }) => args), anchor];
      for (const rule of suggest(wish, calls)) {
        const key = canonicalise({ toolName, key: rule.key });
        const cases = casesOf(wish, rule);
        if (!found.has(key) && cases.length >= suggestAfter)
          found.set(key, { rule, cases: cases.map(({ shown }) => shown) });
      }
    }
  }
  return [...found.values()];
}

/** The newest different calls. */
function anchorsOf(allowed: readonly PastAnswer[]): readonly (() => unknown)[] {
  const anchors = new Map<string, () => unknown>();
  for (const { args } of allowed.toReversed()) {
    if (anchors.size < maxAnchors) anchors.set(describe(args()), args);
  }
  return [...anchors.values()];
}

function describe(args: unknown): string {
  try {
    return canonicalise(args as Json);
  } catch {
    return ''; // the schema of the tool makes something else than JSON of it
  }
}

/** Returns the plugin's rules for these calls, if they are valid and cover each of the calls. */
function suggest(wish: SuggestionWish, calls: readonly (() => unknown)[]): readonly OfferedRule[] {
  const { toolName, plugin, onFault } = wish;
  try {
    const parsed = offeredRulesSchema.safeParse(plugin.suggestRules(calls.map((args) => ({ toolName, args: args() }))));
    if (parsed.success)
      return parsed.data.filter(
        (rule) => rule.keptByCaller === undefined && calls.every((args) => isCovered(wish, rule, args)),
      );
    onFault(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
  } catch (error) {
    onFault(error);
  }
  return [];
}

/** Returns the approvals that a rule covers, oldest first, up to the newest denial that it covers. */
function casesOf(wish: SuggestionWish, rule: OfferedRule): readonly PastAnswer[] {
  const cases: PastAnswer[] = [];
  for (const answer of wish.past.toReversed()) {
    if (!isCovered(wish, rule, answer.args)) continue;
    if (!answer.isAllowed) break;
    cases.unshift(answer);
  }
  return cases;
}

function isCovered({ plugin, onFault }: SuggestionWish, { id, label, key }: Rule, args: () => unknown): boolean {
  try {
    return plugin.covers(structuredClone({ id, label, key }), args()) === true;
  } catch (error) {
    onFault(error);
    return false;
  }
}

/**
 * Whether a rule that a person allows apart from a prompt may answer it. At high risk, with votes, with a passkey and in hidden calls none does,
 * and no rule is suggested (LESS2).
 */
export function takesSuggestions({
  risk,
  decide,
  visibility,
  stepUp,
}: Pick<InteractionRequest, 'risk' | 'decide' | 'visibility' | 'stepUp'>): boolean {
  return risk !== 'high' && !needsSeveral({ decide }) && visibility === undefined && !stepUp;
}
