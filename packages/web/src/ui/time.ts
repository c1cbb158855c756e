/** "04:05", but "4:05 AM": where hours go to twelve, none begins with a nought. */
const { hour12 } = new Intl.DateTimeFormat(undefined, { hour: 'numeric' }).resolvedOptions();
const ofDay = { hour: hour12 ? 'numeric' : '2-digit', minute: '2-digit' } as const;
const time = new Intl.DateTimeFormat(undefined, ofDay);
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', ...ofDay });
const month = new Intl.DateTimeFormat(undefined, { month: 'short', year: '2-digit' });

/** The time of day, with the date unless it is today. */
export function formatTime(timestamp: string): string {
  const date = new Date(timestamp);
  return (date.toDateString() === new Date().toDateString() ? time : day).format(date);
}

const units = [
  ['minute', 60_000, 60],
  ['hour', 3_600_000, 24],
  ['day', 86_400_000, 100],
] as const;

/** How long ago `timestamp` was, in a single unit and as short as it can be: "5m"; `now` is in milliseconds. */
export function formatAge(timestamp: string, now: number): string {
  const age = now - Date.parse(timestamp);
  if (age < 60_000) return 'now';
  const found = units.find(([, length, limit]) => age / length < limit);
  if (!found) return month.format(Date.parse(timestamp));
  const [unit, length] = found;
  return new Intl.NumberFormat(undefined, { style: 'unit', unit, unitDisplay: 'narrow' }).format(
    Math.floor(age / length),
  );
}
