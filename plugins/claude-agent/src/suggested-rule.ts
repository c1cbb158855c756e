import { posix } from 'node:path';
import {
  filePathOf,
  followersOf,
  hasFile,
  hasOnly,
  isReadableLabel,
  coversCall as isSuggestedFor,
  readCommandPrefix,
  readSimpleWords,
  suggestCallRules,
} from '@parleyhq/claude-tools';
import {
  type AskedCall,
  canonicalise,
  isRecord,
  type Json,
  maxRules,
  type OfferedRule,
  type Rule,
} from '@parleyhq/core';
import { isLinkFree } from './edit-zone.ts';

type Args = Record<string, unknown>;

/** The call for which Claude Code suggests rules. */
export interface Suggesting {
  readonly toolName: string;
  readonly args: Args;
  /** The agent's working folder. */
  readonly folder: string;
  /** Whether the call changes a file that mode `acceptEdits` would let it change. */
  readonly isEdit: boolean;
}

/** The meaning of a rule, which is also its key. A rule belongs to one tool, so each tool has its own kinds. */
type Meaning = readonly ['command', ...string[]] | readonly ['read' | 'change' | 'host', string] | readonly ['search'];

/** Programs whose arguments are commands themselves: a prefix such as `sudo x` does not limit what runs. */
const wrappers = new Set(
  'bash builtin command dash doas env eval exec fish ksh nice nohup sh source ssh su sudo time timeout watch xargs zsh'.split(
    ' ',
  ),
);

/**
 * Returns those of Claude Code's suggestions that can be put into exact words and cover this very call, as rules of Parley
 * (APR7). They are not passed back to Claude Code: calls that it allows by itself would be neither in the log nor revocable.
 */
export async function offerSuggested(
  suggestions: readonly unknown[],
  call: Suggesting,
): Promise<readonly OfferedRule[]> {
  if (!(await isAsNamed(call.args))) return []; // a rule that was allowed before would otherwise cover it
  const rules = new Map<string, OfferedRule>();
  for (const meaning of suggestions.filter(isRecord).flatMap((suggestion) => toMeanings(suggestion, call))) {
    const key = [...meaning] as Json[];
    const label = toWords(meaning);
    if (!isReadableLabel(label) || !coversCall({ key }, call.args)) continue;
    rules.set(canonicalise(key), { id: `suggestion${rules.size + 1}`, label, key, scopes: ['session'] });
  }
  return [...rules.values()].slice(0, maxRules);
}

/** Suggests the narrowest rule for calls of one tool that a person has allowed (LESS2). */
export function suggestCalls(calls: readonly AskedCall[]): readonly OfferedRule[] {
  const [{ toolName } = { toolName: '' }] = calls;
  return suggestCallRules(
    toolName,
    calls.map(({ args }) => args),
    { withFiles: true },
  );
}

/** Whether a path of a call, if it has one, leads through no link: what `covers` sees is then where it leads. */
export async function isAsNamed(args: Args): Promise<boolean> {
  if (!hasFile(args)) return true;
  const path = filePathOf(args);
  return path !== undefined && isLinkFree('/', path).catch(() => false);
}

/** Whether a rule covers a call of its tool. Pure, and false for whatever the rule's words do not mention. */
export function coversCall({ key }: Pick<Rule, 'key'>, args: Args): boolean {
  const meaning = key as unknown as Meaning | ['suggested', string];
  switch (meaning[0]) {
    case 'suggested':
      return isSuggestedFor({ key }, meaning[1], args);
    case 'command': {
      const [, ...prefix] = meaning;
      const words = hasOnly(args, 'command', 'description') ? readSimpleWords(String(args.command)) : undefined;
      const isOfPrefix = words !== undefined && prefix.length > 0 && prefix.every((word, n) => words[n] === word);
      return isOfPrefix && (!readCommandPrefix(prefix) || readCommandPrefix(words) !== undefined);
    }
    case 'read':
      return hasOnly(args, 'file_path', 'offset', 'limit', 'pages') && isBelow(meaning[1], filePathOf(args));
    case 'change': {
      const path = filePathOf(args) ?? '';
      return isBelow(meaning[1], path) && !posix.relative(meaning[1], path).split('/').some(isHidden);
    }
    case 'host':
      return hasOnly(args, 'url', 'prompt') && isPageOf(meaning[1], args.url);
    case 'search':
      return hasOnly(args, 'query', 'allowed_domains', 'blocked_domains');
    default:
      meaning satisfies never;
      return false;
  }
}

function toWords(meaning: Meaning): string {
  switch (meaning[0]) {
    case 'command': {
      const [, ...prefix] = meaning;
      const words = `single Bash commands that begin with \`${prefix.join(' ')}\``;
      return readCommandPrefix(prefix) ? `${words}, ${followersOf(prefix)}` : words;
    }
    case 'read':
      return `reading any file in \`${meaning[1]}\` and the folders in it`;
    case 'change':
      return `changing any file in \`${meaning[1]}\` and the folders in it with this tool, except hidden ones`;
    case 'host':
      return `fetching any page of \`${meaning[1]}\``;
    case 'search':
      return 'searching the web for anything';
    default:
      return meaning satisfies never;
  }
}

function toMeanings({ type, rules, behavior, mode }: Args, { toolName, folder, isEdit }: Suggesting): Meaning[] {
  if (type === 'setMode' && mode === 'acceptEdits') return isEdit ? [['change', folder]] : [];
  if (type !== 'addRules' || behavior !== 'allow' || !Array.isArray(rules)) return [];
  return rules
    .filter(isRecord)
    .filter((rule) => rule.toolName === toolName)
    .flatMap(({ ruleContent }) => toMeaning(toolName, ruleContent));
}

/** Claude Code's own patterns: `npm test *`, `//etc/**`, `domain:example.com`, or nothing for every call of the tool. */
function toMeaning(toolName: string, pattern: unknown): Meaning[] {
  if (toolName === 'WebSearch') return pattern === undefined ? [['search']] : [];
  if (typeof pattern !== 'string') return [];
  switch (toolName) {
    case 'Bash': {
      const words = /^[\w@%+:,./-]+(?: [\w@%+=:,./-]+)+ \*$/.test(pattern) ? pattern.split(' ').slice(0, -1) : [];
      return words.length > 1 && !wrappers.has(posix.basename(words[0] as string)) ? [['command', ...words]] : [];
    }
    case 'Read': {
      const [, path] = /^\/(\/[^*?[\]{}!\\]+)\/\*\*$/.exec(pattern) ?? [];
      return path === undefined ? [] : [['read', path]];
    }
    case 'WebFetch': {
      const [, host] = /^domain:([a-z0-9.-]+)$/.exec(pattern) ?? [];
      return host === undefined ? [] : [['host', host]];
    }
    default:
      return [];
  }
}

function isBelow(folder: string, path = ''): boolean {
  return path === posix.normalize(path) && path.startsWith(`${folder}/`) && !path.endsWith('/');
}

function isHidden(name: string): boolean {
  return name.startsWith('.');
}

function isPageOf(host: string, url: unknown): boolean {
  if (typeof url !== 'string' || !URL.canParse(url)) return false;
  const { protocol, host: named, username, password } = new URL(url);
  return ['http:', 'https:'].includes(protocol) && named === host && username === '' && password === '';
}
