import { ToolError } from '../basics/error.ts';
import { canonicalise, isJson, type Json } from '../basics/json.ts';

/** The arguments of a call, parsed by its tool's schema, so that people see, consent to and run the same value (APR2). */
export interface CallArgs {
  /** Arguments as a model, a program or a person wrote them. */
  readonly written: Json;
  /** Parsed arguments as JSON: these are shown, judged, stored and consented to. */
  readonly json: Json;
  /**
   * Returns the parsed arguments. Each caller gets a copy, so that changes do not affect the next one.
   * @throws ToolError `tool_error` if a part that cannot be copied was changed after parsing
   */
  value(): unknown;
}

/** Parses arguments for a tool. @throws ToolError `invalid_args` */
export type ReadCall = (args: Json) => Promise<CallArgs>;

/** @throws ToolError `tool_error` naming the part of the value that cannot be shown */
export function makeCallArgs(written: Json, value: unknown): CallArgs {
  const shown = isJson(value) ? value : toShown(value, []);
  const json = isSameJson(shown, written) ? written : shown; // keeps the author's order of members
  return {
    written,
    json,
    value() {
      const own = copy(value);
      if (shown !== value && !isSameJson(toShown(own, []), json))
        throw new ToolError('tool_error', 'The tool changed its arguments before they ran: nothing was run.');
      return own;
    },
  };
}

/**
 * Returns the arguments that a call runs with, from its event: `args` are as written, `parsedArgs` as parsed if that differs
 * (APR2).
 */
export function argsOf({ args, parsedArgs }: { readonly args: Json; readonly parsedArgs?: Json | undefined }): Json {
  return parsedArgs === undefined ? args : parsedArgs;
}

export function isSameJson(one: Json, other: Json): boolean {
  return one === other || canonicalise(one) === canonicalise(other);
}

/** Returns arguments in the form that people read. */
export function showArgs(args: Json): { readonly kind: 'json'; readonly text: string } {
  return { kind: 'json', text: JSON.stringify(args, null, 2) };
}

/**
 * Parses arguments again that may have been parsed by another process, by an older release of the tool, or with time-dependent
 * defaults. Prefers a result equal to what was shown then, from what was written or from what was shown.
 * @returns the current result if neither equals what was shown: the caller compares `json`
 * @throws ToolError `invalid_args`
 */
export async function readAgain(read: ReadCall, known: Pick<CallArgs, 'written' | 'json'>): Promise<CallArgs> {
  const { written, json } = known;
  const [now] = await Promise.allSettled([read(written)]);
  if (now.status === 'fulfilled' && isSameJson(now.value.json, json)) return now.value;
  const [shown] = isSameJson(written, json) ? [] : await Promise.allSettled([read(json)]);
  if (shown?.status === 'fulfilled' && isSameJson(shown.value.json, json)) return { ...shown.value, written };
  if (now.status === 'fulfilled') return now.value;
  throw now.reason;
}

/** Returns the members of a plain object; undefined for instances of classes. */
function membersOf(value: object): [string, unknown][] | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? Object.entries(value) : undefined;
}

/** Converts a value to JSON without losing information: sets and maps to lists, large integers to text. */
function toShown(value: unknown, path: readonly string[]): Json {
  const within = (member: unknown, name: string | number) =>
    member === undefined ? null : toShown(member, [...path, String(name)]);
  if (isJson(value)) return value;
  if (typeof value === 'bigint' || value instanceof RegExp) return String(value);
  if (typeof value === 'object' && value !== null) {
    if ('toJSON' in value && typeof value.toJSON === 'function') return toShown(value.toJSON(), path);
    if (Array.isArray(value) || value instanceof Set || value instanceof Map) return Array.from(value, within);
    const members = membersOf(value)?.filter(([, member]) => member !== undefined);
    if (members) return Object.fromEntries(members.map(([name, member]) => [name, within(member, name)]));
  }
  const where = path.length > 0 ? `"${path.join('.')}"` : 'the arguments';
  throw new ToolError(
    'tool_error',
    `The schema of the tool makes ${describe(value)} of ${where}, which nobody can be shown: leave it as JSON there, and make it in the handler.`,
  );
}

function describe(value: unknown): string {
  if (typeof value === 'object' && value !== null) return `an instance of ${value.constructor?.name ?? 'a class'}`;
  return typeof value === 'number' ? String(value) : `a ${typeof value}`;
}

/** Copies a value deeply; instances of classes are kept as they are. */
function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copy);
  if (value instanceof Date) return new Date(value);
  if (value instanceof Set) return new Set(Array.from(value, copy));
  if (value instanceof Map) return new Map(Array.from(value, ([key, member]) => [copy(key), copy(member)]));
  const members = membersOf(value);
  return members ? Object.fromEntries(members.map(([name, member]) => [name, copy(member)])) : value;
}
