import { isRecord } from '@parleyhq/core';
import { toSubject } from './subject.ts';

type Args = Record<string, unknown>;

/** In characters: a title is one line; what it shortens is complete in the subject. */
const maxObject = 80;

/** In characters. The description is only what the caller says about the call. */
const maxDescription = 300;

/** The verbs of tools that apply to one argument. */
const verbs: Readonly<Record<string, readonly [verb: string, argument: string, kind: 'code' | 'path' | 'words']>> = {
  Bash: ['Run', 'command', 'code'],
  Read: ['Read', 'file_path', 'path'],
  Write: ['Write', 'file_path', 'path'],
  Edit: ['Change', 'file_path', 'path'],
  MultiEdit: ['Change', 'file_path', 'path'],
  NotebookEdit: ['Change', 'notebook_path', 'path'],
  Glob: ['Find', 'pattern', 'code'],
  Grep: ['Search for', 'pattern', 'code'],
  WebSearch: ['Search the web for', 'query', 'words'],
  Task: ['Delegate', 'description', 'words'],
  Agent: ['Delegate', 'description', 'words'],
};

/** Returns what a call asks for in one line: the verb and its object, such as "Change src/price.ts (+2 −1)". */
export function toTitle(tool: string, args: Args): string {
  if (tool === 'ExitPlanMode') return 'Carry out this plan?';
  if (tool === 'WebFetch') return titleOfAddress(args.url) ?? otherwise(tool);
  if (tool === 'apply_patch') return titleOfPatch(args.command) ?? otherwise(tool);
  const [verb, argument, kind] = Object.hasOwn(verbs, tool) ? (verbs[tool] ?? []) : [];
  const object = argument === undefined ? undefined : args[argument];
  if (verb === undefined || typeof object !== 'string' || object.trim() === '') return otherwise(tool);
  if (kind === 'path') return `${verb} ${shortenPath(object)}${countChanges(tool, args)}`;
  return kind === 'words' ? `${verb} “${shorten(object)}”` : `${verb} ${shorten(object)}`;
}

/** Returns what the caller says about the call, as a quotation: it does not affect what runs. Empty without a description. */
export function quoteDescription(tool: string, { description }: Args): string {
  const isSaid = tool === 'Bash' && typeof description === 'string' && description.trim() !== '';
  return isSaid ? `“${shorten(description, maxDescription)}”` : '';
}

/** Returns the title for the questions of `AskUserQuestion`: the first one, and how many follow. */
export function titleOfQuestions(questions: readonly { readonly question: string }[]): string {
  const [first, ...more] = questions;
  const rest = more.length === 0 ? '' : ` (and ${more.length} more)`;
  return `${shorten(first?.question ?? '', 2 * maxObject)}${rest}`;
}

/** `mcp__github__create_issue` is a tool of a server; other names stay as they are. */
function otherwise(tool: string): string {
  const [, server, name] = /^mcp__(.+?)__(.+)$/.exec(tool) ?? [];
  return name === undefined ? `Allow "${tool}"?` : `Use "${name}" of ${server}`;
}

/** The host alone: what precedes it in an address may imitate another one. */
function titleOfAddress(url: unknown): string | undefined {
  return typeof url === 'string' && URL.canParse(url) ? `Fetch ${new URL(url).host}` : undefined;
}

function titleOfPatch(patch: unknown): string | undefined {
  if (typeof patch !== 'string') return undefined;
  const files = [...patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map(([, path = '']) => path);
  const [first, ...more] = files;
  if (first === undefined) return undefined;
  return `Change ${shortenPath(first)}${more.length === 0 ? countLines(patch) : ` and ${more.length} more`}`;
}

function countChanges(tool: string, args: Args): string {
  if (tool !== 'Edit' && tool !== 'MultiEdit') return '';
  const { kind, text } = toSubject(tool, args);
  const isEvery = [args, ...(Array.isArray(args.edits) ? args.edits.filter(isRecord) : [])].some((e) => e.replace_all);
  return kind === 'diff' && !isEvery ? countLines(text) : ''; // how often a text occurs is unknown
}

function countLines(diff: string): string {
  const count = (sign: string) => diff.split('\n').filter((line) => line[0] === sign && !isHead(line)).length;
  return ` (+${count('+')} −${count('-')})`;
}

const isHead = (line: string) => line.startsWith('+++ ') || line.startsWith('--- ');

/** Keeps the end of a path, which tells files apart. */
function shortenPath(path: string): string {
  const parts = path.split('/');
  return shorten(parts.length > 4 ? `…/${parts.slice(-3).join('/')}` : path);
}

function shorten(text: string, most = maxObject): string {
  const [line = '', ...rest] = text.trim().split(/[\p{Zl}\p{Zp}\n\r]/u);
  const isWhole = rest.length === 0 && line.length <= most;
  return isWhole
    ? line
    : `${line
        .slice(0, most - 1)
        .replace(/[\uD800-\uDBFF]$/, '')
        .trimEnd()} …`;
}
