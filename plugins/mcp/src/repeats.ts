import { isDeepStrictEqual } from 'node:util';
import type { Json } from '@parleyhq/core';

/** Whether a text says in JSON what a structured value says. */
export function repeats(text: string, structured: Json): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(text), structured);
  } catch {
    return false; // it is a text for people, beside the value
  }
}
