import { type Instant, isTimeZone, type QuietHours } from '@parleyhq/core';

const minuteMs = 60_000;
const dayMinutes = 24 * 60;

/**
 * Returns when a device may be disturbed: now, or at the end of its quiet hours. A daylight-saving change may shift that end by
 * an hour.
 */
export function endOfQuiet(quiet: QuietHours | undefined, now: Instant): Instant {
  if (!quiet || !isTimeZone(quiet.timeZone)) return now; // a zone of a newer Node may be unknown to this one
  const [from, to] = [toMinutes(quiet.from), toMinutes(quiet.to)];
  const sinceFrom = minutesBetween(from, minuteOfDay(now, quiet.timeZone));
  const length = minutesBetween(from, to);
  if (sinceFrom >= length) return now;
  return now - (now % minuteMs) + (length - sinceFrom) * minuteMs;
}

function toMinutes(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

function minuteOfDay(now: Instant, timeZone: string): number {
  return toMinutes(
    new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(now),
  );
}

function minutesBetween(from: number, to: number): number {
  return (to - from + dayMinutes) % dayMinutes;
}
