/** Says something to who cannot see the page, where the browser can: an element with the words would have them on the page twice. */
export function announce(words: string): void {
  (document as Document & { ariaNotify?(words: string): void }).ariaNotify?.(words);
}
