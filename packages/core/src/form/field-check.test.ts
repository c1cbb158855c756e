import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { form, matches } from '../../test/support/samples.ts';
import type { Json } from '../basics/json.ts';
import { type Field, type FormValues, fieldTypes, formSchema } from './field.ts';
import { checkValues } from './field-check.ts';

const options = [
  { value: 'a', label: 'Apple' },
  { value: 'b', label: 'Banana' },
  { value: 'c', label: 'Cherry' },
];

type Spec = Omit<Field, 'id'>;

function faultOf(spec: Spec, value: Json): string | undefined {
  return checkValues(form([{ id: 'it', ...spec }]), { it: value }, matches).it;
}

const text: Spec = { type: 'text' };
const number: Spec = { type: 'number' };
const select: Spec = { type: 'select', options };
const many: Spec = { type: 'multiselect', options };
const date: Spec = { type: 'date' };
const datetime: Spec = { type: 'datetime' };

describe('each type accepts its values and no others', () => {
  test.each<[Spec, Json]>([
    [text, 'Ada'],
    [text, ' '],
    [{ type: 'textarea' }, 'two\nlines'],
    [{ type: 'secret' }, 'hunter2'],
    [number, 0],
    [number, -1.5],
    [number, 1e21],
    [{ type: 'checkbox' }, true],
    [{ type: 'checkbox' }, false],
    [select, 'a'],
    [{ type: 'radio', options }, 'c'],
    [{ ...select, other: true }, { other: 'Fig' }],
    [many, ['a']],
    [many, ['c', 'a']],
    [{ ...many, other: true }, ['a', { other: 'Fig' }]],
    [date, '2026-03-31'],
    [date, '2024-02-29'],
    [{ type: 'time' }, '00:00'],
    [{ type: 'time' }, '23:59'],
    [datetime, '2026-03-31T09:30:00Z'],
    [datetime, '2026-03-31T09:30:00+02:00'],
    [datetime, '2026-03-31t09:30:00.123456-11:45'],
  ])('[INT16] %j takes %j', (spec, value) => {
    expect(faultOf(spec, value)).toBeUndefined();
  });

  test.each<[Spec, Json]>([
    [text, 1],
    [text, null],
    [text, { other: 'x' }],
    [{ type: 'textarea' }, ['x']],
    [{ type: 'secret' }, { redacted: true }],
    [number, '1'],
    [number, true],
    [number, null],
    [{ type: 'checkbox' }, 'true'],
    [{ type: 'checkbox' }, 1],
    [select, 'd'],
    [select, 'Apple'],
    [select, ['a']],
    [select, { other: 'Fig' }],
    [{ ...select, other: true }, { other: '' }],
    [{ ...select, other: true }, { other: 1 }],
    [
      { ...select, other: true },
      { other: 'Fig', more: 1 },
    ],
    [{ ...select, other: true }, 'Fig'],
    [{ type: 'radio', options }, null],
    [many, 'a'],
    [many, ['a', 'd']],
    [many, ['a', 'a']],
    [many, [null]],
    [many, ['a', { other: 'Fig' }]],
    [{ ...many, other: true }, [{ other: 'Fig' }, { other: 'Date' }]],
    [date, '2026-02-30'],
    [date, '2025-02-29'],
    [date, '2026-13-01'],
    [date, '2026-00-10'],
    [date, '26-03-31'],
    [date, '2026-3-31'],
    [date, '2026-03-31\n'],
    [date, '2026-03-31T00:00:00Z'],
    [date, 20260331],
    [{ type: 'time' }, '24:00'],
    [{ type: 'time' }, '9:30'],
    [{ type: 'time' }, '09:60'],
    [{ type: 'time' }, '09:30:00'],
    [datetime, '2026-03-31T09:30:00'],
    [datetime, '2026-03-31T09:30Z'],
    [datetime, '2026-02-30T09:30:00Z'],
    [datetime, '2026-03-31T24:00:00Z'],
    [datetime, '2026-03-31T09:30:60Z'],
    [datetime, '2026-03-31T09:30:00+24:00'],
    [datetime, '2026-03-31 09:30:00Z'],
    [datetime, 0],
  ])('[INT16] %j refuses %j', (spec, value) => {
    expect(faultOf(spec, value)).toEqual(expect.any(String));
  });

  test('[INT16] a number is finite', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) expect(faultOf(number, value)).toBeDefined();
  });

  test('[INT16] any value is accepted or gets an error message, never an exception', () => {
    const values = fc.dictionary(fc.constantFrom('it', 'other'), fc.jsonValue()) as fc.Arbitrary<FormValues>;
    fc.assert(
      fc.property(fc.constantFrom(...fieldTypes), fc.boolean(), values, (type, required, given) => {
        const schema = form([{ id: 'it', type, required, options, other: true, min: 1, max: 3, pattern: 'a+' }]);
        for (const sentence of Object.values(checkValues(schema, given, matches))) expect(sentence).toMatch(/\.$/);
      }),
    );
  });
});

describe('constraints', () => {
  test.each<[Spec, Json, Json]>([
    [{ ...text, minLength: 2 }, 'ab', 'a'],
    [{ ...text, maxLength: 2 }, 'ab', 'abc'],
    [{ type: 'secret', minLength: 4 }, '1234', '123'],
    [{ ...text, pattern: '[a-z]+' }, 'abc', 'abc1'],
    [{ ...text, pattern: '[a-z]+' }, 'abc', ' abc'],
    [{ ...text, pattern: 'a|b' }, 'b', 'ab'],
    [{ ...text, pattern: '\\p{Lu}.' }, 'Äh', 'äh'],
    [{ ...text, pattern: '.' }, '🙂', '🙂🙂'],
    [{ ...text, format: 'email' }, 'ada@example.org', 'ada@example'],
    [{ ...text, format: 'email' }, 'a.b+c@x.example.org', 'a b@example.org'],
    [{ ...text, format: 'email' }, 'a@b.c', 'a@b..c'],
    [{ ...text, format: 'uri' }, 'https://example.org/x?y', 'example.org'],
    [{ ...text, format: 'url' }, 'ftp://example.org', '//example.org'],
    [{ ...text, format: 'date' }, '2026-03-31', '2026-02-31'],
    [{ ...text, format: 'date-time' }, '2026-03-31T09:30:00Z', '2026-03-31T09:30:00'],
    [{ ...number, min: 1 }, 1, 0.999],
    [{ ...number, max: 3 }, 3, 3.001],
    [{ ...number, min: 0, max: 0 }, 0, 1],
    [{ ...number, step: 0.1 }, 0.3, 0.35],
    [{ ...number, step: 0.01 }, 19.99, 19.995],
    [{ ...number, step: 1 }, -3, 2.5],
    [{ ...number, min: 1, step: 2 }, 5, 4],
    [{ ...number, min: 0.5, step: 0.25 }, 1.25, 1.3],
    [{ ...number, min: -1, step: 3 }, 2, 3],
    [{ ...number, step: 1 }, 1e15, 0.5],
    [{ ...number, step: 1 }, 1500000000, 1500000000.5],
    [{ ...number, step: 1 }, 300000000, 300000000.1],
    [{ ...number, step: 0.1 }, 1500000000.3, 1500000000.35],
    [{ ...many, min: 2 }, ['a', 'b'], ['a']],
    [{ ...many, max: 2 }, ['a', 'b'], ['a', 'b', 'c']],
    [{ ...many, other: true, max: 1 }, [{ other: 'Fig' }], ['a', { other: 'Fig' }]],
    [{ ...select, other: true, minLength: 3 }, { other: 'Fig' }, { other: 'Fi' }],
    [{ ...select, other: true, pattern: 'F.*' }, { other: 'Fig' }, { other: 'Date' }],
    [{ ...date, min: '2026-03-01' }, '2026-03-01', '2026-02-28'],
    [{ ...date, max: '2026-03-01' }, '2026-03-01', '2026-03-02'],
    [{ type: 'time', min: '09:00', max: '17:00' }, '17:00', '17:01'],
    [{ type: 'time', min: '09:00' }, '09:00', '08:59'],
    [{ ...datetime, min: '2026-03-01T12:00:00Z' }, '2026-03-01T13:00:00+01:00', '2026-03-01T12:30:00+01:00'],
    [{ ...datetime, max: '2026-03-01T12:00:00Z' }, '2026-03-01T07:00:00-05:00', '2026-03-01T07:00:01-05:00'],
    [{ type: 'checkbox', required: true }, true, false],
  ])('[INT16] %j takes %j, not %j', (spec, fitting, unfitting) => {
    expect(faultOf(spec, fitting)).toBeUndefined();
    expect(faultOf(spec, unfitting)).toEqual(expect.any(String));
  });

  test('[INT16] every whole number of steps from min fits, half a step does not', () => {
    const size = fc.integer({ min: 1, max: 1000 }).map((n) => n / 100);
    const start = fc.integer({ min: -1000, max: 1000 }).map((n) => n / 100);
    fc.assert(
      fc.property(start, size, fc.nat(10_000), (min, step, count) => {
        expect(faultOf({ ...number, min, step }, min + count * step)).toBeUndefined();
        expect(faultOf({ ...number, min, step }, min + (count + 0.5) * step)).toBeDefined();
      }),
    );
  });

  test('[INT16] every day of the calendar is a date, and its instant a datetime at any offset', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0001-01-01'), max: new Date('9998-12-31'), noInvalidDate: true }),
        fc.integer({ min: 0, max: 23 }),
        (day, hours) => {
          const [iso, offset] = [day.toISOString(), String(hours).padStart(2, '0')];
          expect(faultOf(date, iso.slice(0, 10))).toBeUndefined();
          expect(faultOf(datetime, iso.replace('Z', `+${offset}:00`))).toBeUndefined();
        },
      ),
    );
  });

  test.each<[Spec, Json, string]>([
    [{ ...text, minLength: 1, maxLength: 1 }, 'ab', 'Must have at most 1 character.'],
    [{ ...text, minLength: 3 }, 'ab', 'Must have at least 3 characters.'],
    [{ ...number, min: 2 }, 1, 'Must be at least 2.'],
    [{ ...number, max: 2 }, 3, 'Must be at most 2.'],
    [{ ...many, min: 2 }, ['a'], 'Choose at least 2.'],
    [{ ...date, min: '2026-03-01' }, '2026-02-01', 'Must not be before 2026-03-01.'],
  ])('[INT6] %j says of %j: %s', (spec, value, sentence) => {
    expect(faultOf(spec, value)).toBe(sentence);
  });

  test('[INT16] patterns go unchanged to the given matcher', () => {
    const seen: string[] = [];
    const recorder = (pattern: string, value: string) => seen.push(pattern, value) < 0;
    const errors = checkValues(form([{ id: 'it', type: 'text', pattern: 'a|b' }]), { it: 'c' }, recorder);
    expect(seen).toEqual(['a|b', 'c']);
    expect(errors).toEqual({ it: 'Does not have the expected form.' });
  });
});

describe('the fields that are asked for', () => {
  const conditional = form([
    { id: 'ship', type: 'checkbox' },
    { id: 'street', type: 'text', required: true, when: { field: 'ship', equals: true } },
  ]);
  const check = (schema: typeof conditional, values: FormValues) => checkValues(schema, values, matches);

  test('[INT6] a field that the form does not have is refused', () => {
    expect(check(conditional, { nope: 1 })).toEqual({ nope: 'Unknown field.' });
  });

  test.each(['__proto__', 'constructor', 'toString'])(
    '[INT6] a field named %s is refused like any unknown one',
    (id) => {
      const values = JSON.parse(`{"${id}": "x"}`) as FormValues;
      expect(Object.entries(check(conditional, values))).toEqual([[id, 'Unknown field.']]);
      expect(Object.getPrototypeOf(check(conditional, values))).toBe(Object.prototype);
    },
  );

  test("[INT16] a hidden field's value is refused, even a fitting one", () => {
    expect(check(conditional, { ship: false, street: 'Main St' })).toEqual({ street: 'Not asked for now.' });
    expect(check(conditional, { ship: true, street: 'Main St' })).toEqual({});
  });

  test('[INT16] a hidden field is never required, a shown one is', () => {
    expect(check(conditional, { ship: false })).toEqual({});
    expect(check(conditional, { ship: true })).toEqual({ street: 'Required.' });
  });

  test.each<Json>(['', []])('[INT16] a required field left as %j is missing', (value) => {
    expect(check(form([{ id: 'it', type: 'text', required: true }]), { it: value })).toEqual({ it: 'Required.' });
  });

  test('[INT16] an empty optional field is not checked further', () => {
    expect(faultOf({ ...text, minLength: 3, pattern: 'x' }, '')).toBeUndefined();
    expect(faultOf({ ...many, min: 2 }, [])).toBeUndefined();
  });

  test('[INT16] an optional section may be left empty as a whole, else what it requires is required', () => {
    const sectioned = form(
      [
        { id: 'name', type: 'text', required: true },
        { id: 'street', type: 'text', required: true },
        { id: 'town', type: 'text' },
      ],
      {
        sections: [
          { id: 'who', fields: ['name'] },
          { id: 'where', optional: true, fields: ['street', 'town'] },
        ],
      },
    );
    expect(check(sectioned, { name: 'Ada' })).toEqual({});
    expect(check(sectioned, { name: 'Ada', town: 'Bern' })).toEqual({ street: 'Required.' });
    expect(check(sectioned, {})).toEqual({ name: 'Required.' });
  });

  test('[INT6] all errors are reported at once, each under its field', () => {
    const schema = form([
      { id: 'age', type: 'number' },
      { id: 'name', type: 'text', required: true },
    ]);
    expect(Object.keys(check(schema, { age: 'x', nope: 1 })).sort()).toEqual(['age', 'name', 'nope']);
  });

  test('[INT16] inherited members do not count as values', () => {
    const values = Object.create({ it: 'inherited' }) as FormValues;
    expect(check(form([{ id: 'it', type: 'text', required: true }]), values)).toEqual({ it: 'Required.' });
  });

  test('[INT16] accepted values are accepted again after a round trip through JSON', () => {
    const schema = formSchema.parse(JSON.parse(JSON.stringify(conditional)));
    expect(schema).toEqual(conditional);
  });
});
