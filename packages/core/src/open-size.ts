import type { OpenPrompt } from './prompt-life.ts';

/** Size of a text as UTF-8, in bytes; half a surrogate pair counts as the mark that replaces it. */
export function countBytes(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.codePointAt(at) as number;
    if (code > 0xffff) at += 1;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code <= 0xffff ? 3 : 4;
  }
  return bytes;
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
