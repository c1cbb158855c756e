import { isRecord } from '@parleyhq/core';

/** The members of a JSON object from a server, of unknown types. */
export type Members = Readonly<Record<string, unknown>>;

export function withoutNulls(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}

export function withoutNullsWithin(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((each) => each !== null).map(withoutNullsWithin);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(withoutNulls(value)).map(([name, each]) => [name, withoutNullsWithin(each)]),
  );
}

/** In characters. */
const maxShown = 300;

/** Formats a value for a message, shortened. */
export function tell(value: unknown): string {
  if (value === undefined) return 'missing';
  const words = write(value);
  return words.length > maxShown ? `${words.slice(0, maxShown)} …` : words;
}

function write(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return 'nested too deep to be shown';
    throw error;
  }
}
