import { expect, test } from 'vitest';
import { readEdit, withPart } from './args-editor.ts';
import { showPart } from './edited-part.ts';

test('[APR2] an edit shows and changes its own part, even if that is null', () => {
  const whole = { title: 'Go?', args: null };
  expect(showPart({ editPath: ['args'] }, whole)).toBe('null');
  expect(withPart({ editPath: ['args'] }, whole, '{"n":1}')).toEqual({ title: 'Go?', args: { n: 1 } });
  expect(showPart({ editPath: ['command'] }, { command: 'ls' })).toBe('ls');
  expect(showPart({}, { n: 1 })).toBe('{\n  "n": 1\n}');
});

test('[APR2] an edit that changes nothing does not count, and invalid JSON is reported', () => {
  const args = { n: 1, m: 2 };
  expect(readEdit({}, args, '{"m": 2, "n": 1}')).toEqual({ args: undefined });
  expect(readEdit({}, args, '{"n": 3}')).toEqual({ args: { n: 3 } });
  expect(readEdit({}, args, '{"n": ')).toEqual({ fault: 'This is not valid JSON.' });
  expect(readEdit({}, args, '{"n": 9007199254740993}').fault).toContain('n: the number 9007199254740993 is not kept');
  expect(readEdit({ editPath: ['command'] }, { command: 'ls' }, 'ls -a')).toEqual({
    args: { command: 'ls -a' },
  });
});
