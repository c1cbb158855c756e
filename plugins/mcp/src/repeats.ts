import { isDeepStrictEqual } from 'node:util';
import type { Json } from '@parleyhq/core';

/** Whether a text is the JSON of this value. */
export function repeats(text: string, structured: Json): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(text), structured);
  } catch {
    return false; // a text for people, in addition to the value
  }
}
