/**
 * What a password field holds with several lines that are pasted into it; undefined for anything else. Browsers would make spaces of the line
 * breaks: in a text that is seen, behind dots it is not, and no key works so.
 */
export function readPastedLines(event: ClipboardEvent): string | undefined {
  const { target, clipboardData } = event;
  const text = clipboardData?.getData('text/plain').replace(/\r\n?/g, '\n') ?? '';
  if (!(target instanceof HTMLInputElement && target.closest('.secret')) || !text.trim().includes('\n'))
    return undefined;
  const { value, selectionStart, selectionEnd } = target;
  return value.slice(0, selectionStart ?? 0) + text + value.slice(selectionEnd ?? value.length);
}
