import { expect, test } from 'vitest';
import { fromLocalInput, isSkippedTime, toLocalInput } from './local-datetime.ts';

// Worker threads cannot choose a time zone: the page's form.test.ts and the command's form-at-terminal.test.ts do.

test.each(['2026-07-01T18:05', '2026-01-01T18:05:07', '2026-01-01T18:05:07.250'])(
  '[INT16] %s has seconds and the UTC offset of its day, and converts back unchanged',
  (input) => {
    const moment = fromLocalInput(input);
    expect(moment).toMatch(/^2026-0[17]-01T18:05:0[07](\.250)?[+-]\d\d:\d\d$/);
    expect(toLocalInput(moment)).toBe(input);
    expect(isSkippedTime(input)).toBe(false);
  },
);

test.each(['2026-02-30T10:00', '2026-13-01T00:00', '2026-03-31', '2026-03-31T9:30', '', '2026-03-31T09:30:00Z'])(
  '[INT16] %j is not a local date-time, and is returned unchanged',
  (input) => {
    expect(fromLocalInput(input)).toBe(input);
    expect(isSkippedTime(input)).toBe(false);
  },
);

test('[INT16] an invalid date-time leaves the control empty', () => {
  expect(toLocalInput('never')).toBe('');
});
