import { expect, test } from 'vitest';
import { showPart, withPart } from './edited-part.ts';

test('[APR2] an edit shows and changes its own part, even where that is null', () => {
  const whole = { title: 'Go?', args: null };
  expect(showPart({ editPath: ['args'] }, whole)).toBe('null');
  expect(withPart({ editPath: ['args'] }, whole, '{"n":1}')).toEqual({ title: 'Go?', args: { n: 1 } });
  expect(showPart({ editPath: ['command'] }, { command: 'ls' })).toBe('ls');
  expect(showPart({}, { n: 1 })).toBe('{\n  "n": 1\n}');
});
