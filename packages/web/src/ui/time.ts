import type { InboxEntry } from '@parleyhq/core';

/**
 * Creates a value on first use: the first date format of a page costs some 20 ms, and many pages show no times before their rows.
 */
function makeLater<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Formats as "04:05", but "4:05 AM": 12-hour times have no leading zero. */
const ofDay = makeLater(() => {
  const { hour12 } = new Intl.DateTimeFormat(undefined, { hour: 'numeric' }).resolvedOptions();
  return { hour: hour12 ? 'numeric' : '2-digit', minute: '2-digit' } as const;
});
const time = makeLater(() => new Intl.DateTimeFormat(undefined, ofDay()));
const day = makeLater(() => new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', ...ofDay() }));
const month = makeLater(() => new Intl.DateTimeFormat(undefined, { month: 'short', year: '2-digit' }));

/** Formats the time of day, with the date unless it is today. */
export function formatTime(timestamp: string): string {
  const date = new Date(timestamp);
  return (date.toDateString() === new Date().toDateString() ? time() : day()).format(date);
}

const formatOf = (unit: string) =>
  makeLater(() => new Intl.NumberFormat(undefined, { style: 'unit', unit, unitDisplay: 'narrow' }));

const units = [
  [formatOf('minute'), 60_000, 60],
  [formatOf('hour'), 3_600_000, 24],
  [formatOf('day'), 86_400_000, 100],
] as const;

/** Formats a time in a single unit, as short as possible: "5m"; undefined below a minute and above a hundred days. */
function formatSpan(ms: number): string | undefined {
  const found = ms < 60_000 ? undefined : units.find(([, length, limit]) => ms / length < limit);
  return found?.[0]().format(Math.floor(ms / found[1]));
}

/** Formats the age of `timestamp` in a single unit, as short as possible: "5m"; empty if it is unknown. `now` is in milliseconds. */
export function formatAge(timestamp: string | undefined, now: number): string {
  if (timestamp === undefined) return '';
  const age = now - Date.parse(timestamp);
  if (age < 60_000) return 'now';
  return formatSpan(age) ?? month().format(Date.parse(timestamp));
}

/** How close a deadline is that matters more than how long its prompt has waited, in ms. */
const nearMs = 10 * 60_000;

/** Formats how long a prompt can still be answered if that is not long, otherwise how long it has waited. `now` is in milliseconds. */
export function formatWait({ askedAt, interaction, pending }: InboxEntry, now: number): string {
  const { expiresAt } = interaction;
  const left = expiresAt === undefined || pending ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - now;
  if (left > nearMs) return formatAge(askedAt, now);
  return left <= 0 ? 'time is up' : `${formatSpan(left) ?? '<1m'} left`;
}
