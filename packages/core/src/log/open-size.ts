import { limits } from '../basics/limits.ts';
import type { OpenPrompt } from './prompt-life.ts';

/** Returns the size of a text as UTF-8, in bytes; half a surrogate pair counts as the character that replaces it. */
export function countBytes(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if ((text.codePointAt(at) as number) <= 0xffff) bytes += 2;
    else {
      bytes += 2; // four bytes for two units
      at += 1;
    }
  }
  return bytes;
}

/** Cache of sizes: requests are immutable. */
const requestBytes = new WeakMap<object, number>();

/** Returns the size of a prompt's request as JSON, in bytes. */
export function sizeOfRequest(request: object): number {
  const known = requestBytes.get(request);
  if (known !== undefined) return known;
  const size = countBytes(JSON.stringify(request));
  requestBytes.set(request, size);
  return size;
}

/** Returns the size of the requests of prompts, in bytes. */
export function sizeOfPrompts(prompts: readonly OpenPrompt[]): number {
  let sum = 0;
  for (const { request } of prompts) sum += sizeOfRequest(request);
  return sum;
}

/** Bytes that every open prompt may always use. */
const fairShare = limits.openPromptBytes / limits.openPrompts;

/** Whether a request is certainly within its fair share. Nearly all are, and need no exact measurement. */
export function isSmall(request: object): boolean {
  return boundOf(request) <= fairShare;
}

/** Returns an upper bound for the bytes of JSON: an escaped UTF-16 unit takes six, a number or a literal less than thirty. */
function boundOf(value: unknown): number {
  if (typeof value === 'string') return 2 + 6 * value.length;
  if (typeof value !== 'object' || value === null) return 30;
  let bytes = 2;
  for (const key in value) bytes += 4 + 6 * key.length + boundOf(Reflect.get(value, key));
  return bytes;
}
