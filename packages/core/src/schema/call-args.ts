import { ToolError } from '../basics/error.ts';
import { canonicalise, isJson, type Json } from '../basics/json.ts';

/** The arguments of a call, read by its tool's schema: what is shown, what a consent is to, and what runs are one value (APR2). */
export interface CallArgs {
  /** As a model, a program or a person wrote them. */
  readonly written: Json;
  /** What the schema made of them, as JSON: this is shown, judged, stored and consented to. */
  readonly json: Json;
  /**
   * What the schema made of them. Each caller gets a copy, so that what one changes is not what the next one gets.
   * @throws ToolError `tool_error` where something in it that cannot be copied was changed since it was read
   */
  value(): unknown;
}

/** How a tool reads arguments. @throws ToolError `invalid_args` */
export type ReadCall = (args: Json) => Promise<CallArgs>;

/** @throws ToolError `tool_error` naming what of the value cannot be shown */
export function makeCallArgs(written: Json, value: unknown): CallArgs {
  const shown = isJson(value) ? value : toShown(value, []);
  const json = isSameJson(shown, written) ? written : shown; // which has its members in the order of whoever wrote it
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

/** What a call with these arguments runs with, as its event says: `args` are the words of whoever made it (APR2). */
export function argsOf({ args, parsedArgs }: { readonly args: Json; readonly parsedArgs?: Json | undefined }): Json {
  return parsedArgs === undefined ? args : parsedArgs;
}

export function isSameJson(one: Json, other: Json): boolean {
  return one === other || canonicalise(one) === canonicalise(other);
}

/** Arguments as a person reads them. */
export function showArgs(args: Json): { readonly kind: 'json'; readonly text: string } {
  return { kind: 'json', text: JSON.stringify(args, null, 2) };
}

/**
 * Reads arguments that were read before, maybe by another process, by an older release of the tool, or with defaults that depend on
 * the moment: as they were shown then, if the schema still makes that of what was written, or of what was shown.
 * @returns what they are read as now, if neither comes to what was shown: the caller compares `json`
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

/** The members of an object that is no more than that; undefined for instances of classes. */
function membersOf(value: object): [string, unknown][] | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? Object.entries(value) : undefined;
}

/** A value as JSON that tells it from every other: a set and a map as lists, a large integer as text. */
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

/** Instances of classes stay the same ones. */
function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copy);
  if (value instanceof Date) return new Date(value);
  if (value instanceof Set) return new Set(Array.from(value, copy));
  if (value instanceof Map) return new Map(Array.from(value, ([key, member]) => [copy(key), copy(member)]));
  const members = membersOf(value);
  return members ? Object.fromEntries(members.map(([name, member]) => [name, copy(member)])) : value;
}
