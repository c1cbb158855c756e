/**
 * What a password field holds with several lines that are pasted into it; undefined for anything else. Browsers would make spaces of the line
 * breaks: in a text that is seen, behind dots it is not, and no key works so.
 */
export function readPastedLines({ target, clipboardData }: ClipboardEvent): string | undefined {
  const text = clipboardData?.getData('text/plain').replace(/\r\n?/g, '\n') ?? '';
  const input = target as HTMLInputElement;
  if (!input.matches('.secret input') || !text.trim().includes('\n')) return undefined;
  const { value, selectionStart, selectionEnd } = input;
  return value.slice(0, selectionStart ?? 0) + text + value.slice(selectionEnd ?? 0);
}
