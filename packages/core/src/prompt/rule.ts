import * as z from 'zod/mini';
import { canonicalise, isJson, type Json } from '../basics/json.ts';
import { jsonValue } from '../basics/json-value.ts';

export const ruleScopes = ['session', 'always'] as const;
export type RuleScope = (typeof ruleScopes)[number];

/** Maximum number of rules of one approval. Nobody would read a longer list. */
export const maxRules = 8;
/** Limits in characters. A label must be read completely, and a key is looked up on every call. */
const maxLabelLength = 500;
const maxKeyLength = 4096;

const ruleKeySchema = z.union([z.string(), z.array(jsonValue)]).check(
  z.refine((key) => isJson(key) && canonicalise(key).length <= maxKeyLength, {
    error: `must be at most ${maxKeyLength} characters of JSON`,
  }),
);

/** A wider consent than the exact arguments, as an approval offers it (APR7). */
export const offeredRuleSchema = z.object({
  id: z.string().check(z.minLength(1), z.maxLength(64)),
  /** Exact description of what it allows: the only text that the page, the receipts and the list of grants show. */
  label: z.string().check(z.minLength(1), z.maxLength(maxLabelLength)),
  /** Data from which the plugin's `covers` judges later calls. Never shown. */
  key: ruleKeySchema,
  scopes: z.array(z.enum(ruleScopes)).check(z.minLength(1)),
  /** Set if the requesting program stores and applies the rule itself: then there is no grant here, and nothing to revoke. */
  keptByCaller: z.optional(z.literal(true)),
});

export type OfferedRule = z.infer<typeof offeredRuleSchema>;

export const offeredRulesSchema = z.array(offeredRuleSchema).check(
  z.maxLength(maxRules),
  z.refine((rules) => new Set(rules.map(({ id }) => id)).size === rules.length, {
    error: 'two rules have the same id',
  }),
);

/** A rule that somebody consented to, as its grant stores it and `covers` receives it. */
export type Rule = Pick<OfferedRule, 'id' | 'label' | 'key'>;

/**
 * Returns the text under which the grant of a rule is stored. It is an object with `rule`, so it never equals the key of an exact
 * consent (APR1), and it includes the tool, because a rule covers only calls of the tool that offered it.
 * @param caller - the outside program whose requests alone it covers (ASK3)
 */
export function nameRuleGrant(toolName: string, key: Json, caller?: string): string {
  return canonicalise({ rule: key, tool: toolName, ...(caller !== undefined && { ruledCaller: caller }) });
}

/** Prefix of all texts of `nameRuleGrant`, and of no other key. */
export const ruleGrantPrefix = '{"rule":';
