import { isRecord, type Json } from '@parleyhq/core';

/** Describes a call on one line. */
export interface CallWords {
  readonly verb: string;
  /** What the verb applies to. */
  readonly object: string;
}

/** How many characters of an object are useful on one line. */
const maxObject = 200;

/** Well-known tools, with the verb for what they do and the argument that it applies to. */
const known: Readonly<Record<string, readonly [verb: string, argument: string]>> = {
  run_command: ['Run', 'command'],
  delete_files: ['Delete', 'paths'],
  Bash: ['Run', 'command'],
  Read: ['Read', 'file_path'],
  Write: ['Write', 'file_path'],
  Edit: ['Edit', 'file_path'],
  MultiEdit: ['Edit', 'file_path'],
  NotebookEdit: ['Edit', 'notebook_path'],
  Glob: ['Find', 'pattern'],
  Grep: ['Search for', 'pattern'],
  WebFetch: ['Fetch', 'url'],
  WebSearch: ['Search the web for', 'query'],
  Task: ['Delegate', 'description'],
  Agent: ['Delegate', 'description'],
  Skill: ['Use', 'skill'],
};

/** Returns the verb and object of a call; for an unknown tool, its name and arguments. */
export function describeCall(toolName: string, args: Json | undefined): CallWords {
  const [verb, argument] = Object.hasOwn(known, toolName) ? (known[toolName] ?? []) : [];
  const value = argument !== undefined && isRecord(args) && Object.hasOwn(args, argument) ? args[argument] : undefined;
  const object = toObject(value);
  if (verb === undefined || object === '') return { verb: toolName, object: cut(writeArgs(args)) };
  return { verb, object: cut(object) };
}

/** Joins a text or a list of texts; other values do not fit a known tool's argument. */
function toObject(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  const isList = Array.isArray(value) && value.every((part) => typeof part === 'string');
  return isList ? value.join(', ') : '';
}

function writeArgs(args: Json | undefined): string {
  if (args === undefined || args === null || (isRecord(args) && Object.keys(args).length === 0)) return '';
  if (!isRecord(args)) return `(${JSON.stringify(args)})`;
  return `(${Object.entries(args)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join(', ')})`;
}

const cut = (text: string): string => (text.length > maxObject ? `${text.slice(0, maxObject)}…` : text);

/** Returns `1 line`, `12 lines`; a line break at the end does not start another line. */
export function countLines(text: string): string {
  if (text === '') return 'empty';
  const count = (text.match(/\n/g)?.length ?? 0) + (text.endsWith('\n') ? 0 : 1);
  return count === 1 ? '1 line' : `${count} lines`;
}

/** Describes a duration, short enough for a column; empty below a tenth of a second, which nobody notices. */
export function describeDuration(ms: number): string {
  if (!(ms >= 100)) return '';
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
