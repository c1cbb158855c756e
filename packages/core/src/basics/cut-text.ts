/** Truncates a text to at most this many characters (UTF-16), the ellipsis included, and never within one. */
export function cutText(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…` : text;
}
