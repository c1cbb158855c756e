/**
 * Returns the new text of a password field after text with several lines is pasted into it; undefined for anything else. Browsers
 * would replace the line breaks by spaces, and behind dots nobody could see that the secret is now wrong.
 */
export function readPastedLines({ target, clipboardData }: ClipboardEvent): string | undefined {
  const text = clipboardData?.getData('text/plain').replace(/\r\n?/g, '\n') ?? '';
  const input = target as HTMLInputElement;
  if (!input.matches('.secret input') || !text.trim().includes('\n')) return undefined;
  const { value, selectionStart, selectionEnd } = input;
  return value.slice(0, selectionStart ?? 0) + text + value.slice(selectionEnd ?? 0);
}
