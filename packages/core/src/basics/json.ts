/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/**
 * A value after a round trip through JSON, as `ctx.step` returns it: a date becomes a text, and `undefined` becomes null or is
 * dropped. `any` stays `any`; `unknown` stays unknown.
 */
export type Jsonified<T> = 0 extends 1 & T
  ? T
  : T extends Json
    ? T
    : T extends void
      ? null
      : T extends { toJSON(): infer J }
        ? Jsonified<J>
        : T extends ((...args: never[]) => unknown) | symbol | bigint
          ? never
          : T extends object
            ? JsonifiedMembers<T>
            : T;

type JsonifiedMembers<T extends object> = T extends readonly unknown[]
  ? { [I in keyof T]: Jsonified<T[I]> }
  : { [K in keyof T]: undefined extends T[K] ? Jsonified<Exclude<T[K], undefined>> | undefined : Jsonified<T[K]> };

export type JsonSchema = { readonly [key: string]: unknown };

/** Canonical JSON, with sorted keys and no white space: equal values give equal texts (DUR5). Omits `undefined` members. */
export function canonicalise(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map((member) => canonicalise(member ?? null)).join(',')}]`;
  const record = value as Record<string, unknown>;
  const names = Object.keys(record).filter((name) => record[name] !== undefined);
  return `{${names
    .sort()
    .map((name) => `${quote(name)}:${canonicalise(record[name])}`)
    .join(',')}}`;
}

/** Printable ASCII that JSON does not escape. */
const plain = /^[ !#-[\]-~]*$/;

function quote(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text); // names and most values are plain, and this is three times as fast
}

/** Whether the value survives a round trip through JSON unchanged. */
export function isJson(value: unknown): value is Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (Array.isArray(value)) return Array.from(value).every(isJson); // `Array.from` turns holes into undefined, which is not JSON
  if (!isRecord(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && Object.values(value).every(isJson);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the member at a path; undefined if there is none. */
export function readAt(value: Json | undefined, [name, ...rest]: readonly string[]): Json | undefined {
  if (name === undefined) return value;
  return isRecord(value) && Object.hasOwn(value, name) ? readAt(value[name] as Json, rest) : undefined;
}

/** Returns a copy with the member at a path replaced; the value itself if the path does not exist. */
export function replaceAt(value: Json, [name, ...rest]: readonly string[], part: Json): Json {
  if (name === undefined) return part;
  if (!isRecord(value) || !Object.hasOwn(value, name)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, key === name ? replaceAt(member as Json, rest, part) : member]),
  ) as Json;
}
