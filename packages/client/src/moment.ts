const pad = (n: number, length = 2): string => String(n).padStart(length, '0');

/** A date-time as `<input type="datetime-local">` holds it, in this device's time zone; empty if it is invalid. */
export function toLocalInput(moment: string): string {
  const date = new Date(moment);
  if (Number.isNaN(date.getTime())) return '';
  const day = `${pad(date.getFullYear(), 4)}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  const time = `${pad(date.getHours())}:${pad(date.getMinutes())}`;
  return date.getSeconds() ? `${day}T${time}:${pad(date.getSeconds())}` : `${day}T${time}`;
}

/** RFC 3339 with seconds and the UTC offset of this device's time zone at that time (INT16). */
export function fromLocalInput(input: string): string {
  const date = new Date(input);
  if (Number.isNaN(date.getTime())) return input;
  const offset = -date.getTimezoneOffset();
  const sign = offset < 0 ? '-' : '+';
  const distance = Math.abs(offset);
  const local = /T\d\d:\d\d$/.test(input) ? `${input}:00` : input.replace(/\.\d+$/, '');
  return `${local}${sign}${pad(Math.floor(distance / 60))}:${pad(distance % 60)}`;
}
