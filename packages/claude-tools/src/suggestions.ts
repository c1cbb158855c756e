import { type Json, maxRules, type OfferedRule, showHidden } from '@parleyhq/core';
import * as z from 'zod/mini';

const destination = z.enum(['session', 'localSettings', 'projectSettings', 'userSettings']);

/** Strict, because a suggestion that cannot be described completely is not offered. */
const suggestionSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('addRules'),
    rules: z.array(z.strictObject({ toolName: z.string(), ruleContent: z.optional(z.string()) })).check(z.minLength(1)),
    behavior: z.literal('allow'),
    destination,
  }),
  z.strictObject({ type: z.literal('setMode'), mode: z.literal('acceptEdits'), destination: z.literal('session') }),
  z.strictObject({
    type: z.literal('addDirectories'),
    directories: z.array(z.string()).check(z.minLength(1)),
    destination,
  }),
]);

type Suggestion = z.infer<typeof suggestionSchema>;

/** Limit in characters: nobody reads a longer label to the end. */
const maxLabelLength = 300;

/** Where Claude Code stores the rule. */
const places = {
  localSettings: 'kept in the local settings of the project',
  projectSettings: 'kept in the settings of the project, for all who work on it',
  userSettings: 'kept in the settings of its user, for all projects',
} as const;

interface Offered {
  readonly rule: OfferedRule;
  /** The update that is sent to Claude Code. */
  readonly update: Json;
}

/**
 * Offers Claude Code's permission suggestions as rules in exact words: for its session, and permanently in the settings that it
 * names (APR7). Claude Code applies them itself, so they cover no later request here.
 */
export function offerSuggestions(suggestions: readonly unknown[]): OfferedRule[] {
  return offersOf(suggestions).map(({ rule }) => rule);
}

/** Returns the `updatedPermissions` for Claude Code if a person chose one of those rules. */
export function readChosen(suggestions: readonly unknown[], ruleId: string | undefined): readonly Json[] | undefined {
  const chosen = offersOf(suggestions).find(({ rule }) => rule.id === ruleId);
  return chosen && [chosen.update];
}

function offersOf(suggestions: readonly unknown[]): readonly Offered[] {
  return suggestions
    .flatMap((suggestion, index) => {
      const parsed = suggestionSchema.safeParse(suggestion);
      return parsed.success ? toOffers(parsed.data, index + 1) : [];
    })
    .slice(0, maxRules);
}

function toOffers(suggestion: Suggestion, n: number): Offered[] {
  const names = namesIn(suggestion);
  const words = toWords(suggestion);
  if (names.includes('`') || showHidden(names) !== names || words.length > maxLabelLength) return [];
  const once = { ...suggestion, destination: 'session' };
  const forSession = toOffer(`session-${n}`, words, 'session', once);
  if (suggestion.destination === 'session') return [forSession];
  const place = places[suggestion.destination];
  return [forSession, toOffer(`always-${n}`, `${words}, ${place}`, 'always', suggestion)];
}

function toOffer(id: string, label: string, scope: OfferedRule['scopes'][number], update: object): Offered {
  return { rule: { id, label, key: [update as Json], scopes: [scope], keptByCaller: true }, update: update as Json };
}

function toWords(suggestion: Suggestion): string {
  switch (suggestion.type) {
    case 'addRules': {
      const names = suggestion.rules.map(nameRule);
      return `what Claude Code\u2019s ${names.length > 1 ? 'rules' : 'rule'} ${quote(names)} ${names.length > 1 ? 'cover' : 'covers'}`;
    }
    case 'setMode':
      return 'all that Claude Code\u2019s mode `acceptEdits` covers';
    case 'addDirectories':
      return `Claude Code to work in ${quote(suggestion.directories)}, too`;
    default:
      return suggestion satisfies never;
  }
}

/** Writes a rule in Claude Code's syntax. */
function nameRule({ toolName, ruleContent }: { toolName: string; ruleContent?: string | undefined }): string {
  return ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`;
}

/** Returns the parts of the label that come from the suggestion. */
function namesIn(suggestion: Suggestion): string {
  if (suggestion.type === 'addRules') return suggestion.rules.map(nameRule).join(' ');
  return suggestion.type === 'addDirectories' ? suggestion.directories.join(' ') : '';
}

function quote(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(' and ');
}
