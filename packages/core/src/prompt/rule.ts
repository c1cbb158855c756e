import * as z from 'zod/mini';
import { canonicalise, isJson, type Json } from '../basics/json.ts';
import { jsonValue } from '../basics/json-value.ts';

export const ruleScopes = ['session', 'always'] as const;
export type RuleScope = (typeof ruleScopes)[number];

/** Rules that one approval may offer. More would be a list that nobody reads. */
export const maxRules = 8;
/** In characters. A label must be read whole, and a key is looked up with every call. */
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
  /** The exact words of what it allows. The page, the receipts and the list of grants show these and no others. */
  label: z.string().check(z.minLength(1), z.maxLength(maxLabelLength)),
  /** What the plugin's `covers` gets to judge later calls by. Nobody is shown it. */
  key: ruleKeySchema,
  scopes: z.array(z.enum(ruleScopes)).check(z.minLength(1)),
  /** The program that asks keeps it and applies it by itself: then there is no grant here, and nothing to revoke. */
  keptByCaller: z.optional(z.literal(true)),
});

export type OfferedRule = z.infer<typeof offeredRuleSchema>;

export const offeredRulesSchema = z.array(offeredRuleSchema).check(
  z.maxLength(maxRules),
  z.refine((rules) => new Set(rules.map(({ id }) => id)).size === rules.length, {
    error: 'two rules have the same id',
  }),
);

/** A rule that somebody consented to, as its grant stores it and `covers` gets it. */
export type Rule = Pick<OfferedRule, 'id' | 'label' | 'key'>;

/**
 * The text under which the grant of a rule is stored. An object, so that it is the key of no exact consent (APR1); with the
 * tool, for a rule covers calls of the tool that offered it and of no other.
 */
export function nameRuleGrant(toolName: string, key: Json): string {
  return canonicalise({ rule: key, tool: toolName });
}

/** What the texts of `nameRuleGrant`, and of no other key, begin with. */
export const ruleGrantPrefix = '{"rule":';
