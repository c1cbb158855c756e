const pad = (n: number, length = 2): string => String(n).padStart(length, '0');

/** The error message for a time that the clocks of this time zone skip (INT16). */
export const skippedTime = 'That time does not exist on that day.';

/** Formats a date-time for `<input type="datetime-local">`, in this device's time zone with milliseconds; empty if invalid. */
export function toLocalInput(moment: string): string {
  const date = new Date(moment);
  if (Number.isNaN(date.getTime())) return '';
  const day = `${pad(date.getFullYear(), 4)}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  const time = `${pad(date.getHours())}:${pad(date.getMinutes())}`;
  return `${day}T${time}:${pad(date.getSeconds())}.${pad(date.getMilliseconds(), 3)}`.replace(/(:00)?\.000$/, '');
}

const local = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2})(?::(\d{2})(\.\d{1,9})?)?$/;

/**
 * Converts a local date-time to RFC 3339, with seconds and the UTC offset of this device's time zone at that time (INT16). A time
 * that occurs twice because clocks are put back is the first of the two. Anything that is not a local date-time, such as one with
 * an offset, is returned unchanged, and so is a time that does not exist.
 */
export function fromLocalInput(input: string): string {
  const [, minute, seconds = '00', fraction = ''] = local.exec(input) ?? [];
  const date = minute === undefined ? undefined : toDate(minute);
  if (!date) return input;
  const offset = -date.getTimezoneOffset();
  const distance = Math.abs(offset);
  const zone = `${offset < 0 ? '-' : '+'}${pad(Math.floor(distance / 60))}:${pad(distance % 60)}`;
  return `${minute}:${seconds}${fraction}${zone}`;
}

/** Whether this local date-time does not exist in this time zone, because clocks are put forward over it. */
export function isSkippedTime(input: string): boolean {
  const [, minute = ''] = local.exec(input) ?? [];
  const date = new Date(`${minute}Z`);
  const isInCalendar = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(minute); // 30 February rolls over
  return isInCalendar && !toDate(minute);
}

/** Returns the time at which local clocks show this minute; undefined if they never do. */
function toDate(minute: string): Date | undefined {
  return toLocalInput(minute).startsWith(minute) ? new Date(minute) : undefined;
}
