import type { OpenPrompt } from './prompt-life.ts';

const encoder = new TextEncoder();

/** Size of a text as UTF-8. */
export function countBytes(text: string): number {
  return encoder.encode(text).length;
}

/** A request does not change while it is folded: each is measured once. */
const requestBytes = new WeakMap<object, number>();

/** Size of a prompt's request as JSON, in bytes. */
export function sizeOfRequest(request: object): number {
  const known = requestBytes.get(request);
  if (known !== undefined) return known;
  const size = countBytes(JSON.stringify(request));
  requestBytes.set(request, size);
  return size;
}

/** Size of the requests of prompts, in bytes. */
export function sizeOfPrompts(prompts: readonly OpenPrompt[]): number {
  return prompts.reduce((sum, { request }) => sum + sizeOfRequest(request), 0);
}
