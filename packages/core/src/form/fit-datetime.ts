import { isDateTime } from './field-check.ts';

/** Maximum number of fractional digits that are tried. */
const mostDigits = 9;

/**
 * Rewrites a time to match its schema's pattern. Clients send it with an offset and as short as it was typed; a pattern may want
 * UTC, no offset, seconds or fractions. Returns it unchanged if no variant matches.
 */
export function fitDatetime(value: string, { format, pattern }: Readonly<Record<string, unknown>>): string {
  if ((format !== 'date-time' && format !== 'time') || typeof pattern !== 'string') return value;
  const parts = /^(?:(.*)T)?(\d\d:\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d:\d\d)?$/i.exec(value);
  if (!parts) return value;
  const [, day, minutes = '', seconds = '00', fraction = '', offset = ''] = parts;
  const local = { day, minutes, seconds, offset };
  const places = day === undefined || offset === '' ? [local] : [local, ...inUtc(value), { ...local, offset: '' }];
  const ways = places.flatMap((place) => waysToWrite(place, fraction));
  return [value, ...ways].find((way) => matches(pattern, way)) ?? value;
}

interface Place {
  readonly day: string | undefined;
  readonly minutes: string;
  readonly seconds: string;
  readonly offset: string;
}

/** Returns the same instant in UTC; nothing for an invalid date, such as the 30th of February. */
function inUtc(value: string): Place[] {
  if (!isDateTime(value)) return [];
  const [day, time = ''] = new Date(value).toISOString().split('T');
  return [{ day, minutes: time.slice(0, 5), seconds: time.slice(6, 8), offset: 'Z' }];
}

/** Lists the equivalent spellings, shortest first. */
function waysToWrite({ day, minutes, seconds, offset }: Place, fraction: string): string[] {
  const said = fraction.replace(/0+$/, '');
  const fractions = Array.from({ length: mostDigits + 1 }, (_, digits) => said.padEnd(digits, '0')).filter(
    (digits, index) => digits.length === index,
  );
  const tails = fractions.map((digits) => `:${seconds}${digits && '.'}${digits}`);
  if (said === '' && seconds === '00') tails.unshift('');
  return tails.map((tail) => `${day === undefined ? '' : `${day}T`}${minutes}${tail}${offset}`);
}

function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return false; // not valid in JavaScript: the tool's own validator decides
  }
}
