import { isDateTime } from './field-check.ts';

/** Digits of a second that a schema may ask for. */
const mostDigits = 9;

/**
 * A time as people's doors send it, with its offset and as short as it was typed, in the way that the pattern of its schema asks for: in UTC, without an
 * offset, with seconds or fractions of them. As it is where no way fits.
 */
export function fitMoment(value: string, { format, pattern }: Readonly<Record<string, unknown>>): string {
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

/** None for a moment that there is not, as the 30th of February. */
function inUtc(value: string): Place[] {
  if (!isDateTime(value)) return [];
  const [day, time = ''] = new Date(value).toISOString().split('T');
  return [{ day, minutes: time.slice(0, 5), seconds: time.slice(6, 8), offset: 'Z' }];
}

/** From the shortest on that says the same. */
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
    return false; // no pattern of JavaScript's: whoever wrote it judges
  }
}
