/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type JsonSchema = { readonly [key: string]: unknown };

/** Canonical JSON, with sorted keys and no white space: equal values give equal texts (DUR5). Omits `undefined` members. */
export function canonicalise(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map((member) => canonicalise(member ?? null)).join(',')}]`;
  const record = value as Record<string, unknown>;
  let members = '';
  for (const key of Object.keys(record).sort()) {
    const member = record[key];
    if (member !== undefined) members += `${members && ','}${JSON.stringify(key)}:${canonicalise(member)}`;
  }
  return `{${members}}`;
}

/** Whether the value survives a round trip through JSON unchanged. */
export function isJson(value: unknown): value is Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (Array.isArray(value)) return Array.from(value).every(isJson); // `Array.from` turns holes into undefined, which is no JSON
  if (!isRecord(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && Object.values(value).every(isJson);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
