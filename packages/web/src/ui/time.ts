const time = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
const ago = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'narrow' });

/** The time of day, with the date unless it is today. */
export function formatTime(timestamp: string): string {
  const date = new Date(timestamp);
  return (date.toDateString() === new Date().toDateString() ? time : day).format(date);
}

const units = [
  ['minute', 60_000, 60],
  ['hour', 3_600_000, 24],
  ['day', 86_400_000, Number.POSITIVE_INFINITY],
] as const;

/** How long ago `timestamp` was, in a single unit; `now` is in milliseconds. */
export function formatAge(timestamp: string, now: number): string {
  const age = now - Date.parse(timestamp);
  if (age < 60_000) return 'just now';
  const [unit, size] = units.find(([, length, limit]) => age / length < limit) ?? units[2];
  return ago.format(-Math.floor(age / size), unit);
}
