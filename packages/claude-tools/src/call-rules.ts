import type { AskedCall, Json, OfferedRule, Rule } from '@parleyhq/core';
import { filePathOf, hasOnly, isReadableLabel } from './call-args.ts';
import { followersOf, isRoutine, readCommandPrefix } from './command-prefix.ts';
import { readSimpleWords } from './simple-words.ts';

type Args = Record<string, unknown>;

/** The meaning of a rule, which is also its key, after the name of the tool. */
type Meaning = readonly ['prefix', ...string[]] | readonly ['below' | 'host', string] | readonly ['search'];

export interface SuggestingOptions {
  /** Whether rules for files may be suggested: only if whoever runs the calls follows no links out of a folder. */
  readonly withFiles: boolean;
}

/** A folder that is less deep is most of a disk. */
const leastDepth = 2;

const reading = new Set(['Read']);
const changing = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit']);

/**
 * Returns the narrowest rule that covers all of these calls of one tool, for the session, in exact words: the beginning of a simple
 * command, a folder, a host (LESS2). Its key begins with `suggested` and the tool's name.
 */
export function suggestCallRules(
  tool: string,
  calls: readonly AskedCall['args'][],
  options: SuggestingOptions,
): readonly OfferedRule[] {
  const meaning = toMeaning(tool, calls, options);
  if (!meaning) return [];
  const key = ['suggested', tool, ...meaning] as Json[];
  const label = toWords(tool, meaning);
  const isCovering = isReadableLabel(label) && calls.every((args) => coversCall({ key }, tool, args));
  return isCovering ? [{ id: 'suggested', label, key, scopes: ['session'] }] : [];
}

/** Whether such a rule covers a call. Pure, and false for whatever the rule's words do not mention. */
export function coversCall({ key }: Pick<Rule, 'key'>, tool: string, args: Args): boolean {
  if (!Array.isArray(key)) return false;
  const [origin, name, ...meaning] = key;
  if (origin !== 'suggested' || name !== tool) return false;
  const [kind, value] = meaning;
  switch (kind as Meaning[0]) {
    case 'prefix':
      return JSON.stringify(prefixOf(args)) === JSON.stringify(meaning.slice(1));
    case 'below': {
      const isWhole = changing.has(tool) || hasOnly(args, 'file_path', 'offset', 'limit', 'pages');
      return isWhole && isBelow(String(value), filePathOf(args));
    }
    case 'host':
      return hasOnly(args, 'url', 'prompt') && hostOf(args) === value;
    case 'search':
      return hasOnly(args, 'query', 'allowed_domains', 'blocked_domains');
    default:
      return false;
  }
}

function toMeaning(tool: string, calls: readonly Args[], { withFiles }: SuggestingOptions): Meaning | undefined {
  const [first = {}] = calls;
  if (tool === 'Bash') {
    const prefix = prefixOf(first);
    return prefix && isRoutine(prefix) ? ['prefix', ...prefix] : undefined;
  }
  if (tool === 'WebSearch') return ['search'];
  if (tool === 'WebFetch') {
    const host = hostOf(first);
    return host === undefined ? undefined : ['host', host];
  }
  if (!withFiles || !(reading.has(tool) || changing.has(tool))) return undefined;
  const folder = commonFolder(calls.map(filePathOf));
  return folder === undefined ? undefined : ['below', folder];
}

function toWords(tool: string, meaning: Meaning): string {
  switch (meaning[0]) {
    case 'prefix':
      return `single Bash commands that begin with \`${meaning.slice(1).join(' ')}\`, ${followersOf(meaning.slice(1))}`;
    case 'below': {
      const act = reading.has(tool) ? 'reading any file' : 'changing any file with this tool';
      return `${act} in \`${meaning[1]}\` and the folders in it, except hidden ones`;
    }
    case 'host':
      return `fetching any page of \`${meaning[1]}\``;
    case 'search':
      return 'searching the web for anything';
    default:
      return meaning satisfies never;
  }
}

/** The program and subcommand of a simple command that does nothing else, whatever its arguments are. */
function prefixOf(args: Args): readonly string[] | undefined {
  if (typeof args.command !== 'string' || !hasOnly(args, 'command', 'description', 'timeout')) return undefined;
  const words = readSimpleWords(args.command);
  return words && readCommandPrefix(words);
}

function commonFolder(paths: readonly (string | undefined)[]): string | undefined {
  const [first = '', ...others] = paths.map((path = '') => folderOf(path));
  let folder = first;
  while (!others.every((other) => other === folder || other.startsWith(`${folder}/`))) folder = folderOf(folder);
  const depth = folder.split('/').length - 1;
  return folder.startsWith('/') && depth >= leastDepth ? folder : undefined;
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Whether a path is in a folder, with no hidden file or folder between them. */
function isBelow(folder: string, path = ''): boolean {
  const [root, ...names] = path.split('/');
  return root === '' && path.startsWith(`${folder}/`) && names.every((name) => name !== '' && !name.startsWith('.'));
}

function hostOf({ url }: Args): string | undefined {
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined;
  const { protocol, host, username, password } = new URL(url);
  return ['http:', 'https:'].includes(protocol) && username === '' && password === '' ? host : undefined;
}
