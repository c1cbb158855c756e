/** Puts a text into a code block of Markdown that its own backticks cannot end. */
export function fenceCode(text: string, language = ''): string {
  const mark = '`'.repeat(Math.max(3, countBackticks(text) + 1));
  return `${mark}${language}\n${text}\n${mark}`;
}

/** Returns the length of the longest run of backticks. */
export function countBackticks(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
