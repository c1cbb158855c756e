/** The index key of lists. Rows within a minute are sorted when read. */
export function minuteOf(timestamp: string): string {
  return timestamp.slice(0, 'yyyy-mm-ddThh:mm'.length);
}
