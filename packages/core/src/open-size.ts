import type { OpenPrompt } from './prompt-life.ts';

/** Size of a text as UTF-8, in bytes; half a surrogate pair counts as the mark that replaces it. */
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

/** Drafts and requests do not change: each is measured once. */
const requestBytes = new WeakMap<object, number>();

/** Size of a prompt's request as JSON, in bytes. */
export function sizeOfRequest(request: object): number {
  const known = requestBytes.get(request);
  if (known !== undefined) return known;
  const size = countBytes(JSON.stringify(request));
  requestBytes.set(request, size);
  return size;
}

/** A request is as large as its draft, but for a few short members: what was measured is not measured again. */
export function inheritSize(request: object, draft: object): void {
  requestBytes.set(request, sizeOfRequest(draft));
}

/** Size of the requests of prompts, in bytes. */
export function sizeOfPrompts(prompts: readonly OpenPrompt[]): number {
  let sum = 0;
  for (const { request } of prompts) sum += sizeOfRequest(request);
  return sum;
}
