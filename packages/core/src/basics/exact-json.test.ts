import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FormSchema } from '../form/field.ts';
import { checkValues } from '../form/field-check.ts';
import { readNumber } from '../form/typed-number.ts';
import { findInexactNumber, parseExactJson } from './exact-json.ts';
import { isKept } from './exact-number.ts';

test.each([
  '0',
  '-0',
  '-0.0',
  '1.0',
  '1e3',
  '1E+3',
  '0.10',
  '0.1',
  '1.10',
  '9007199254740992',
  '100000000000000000000000',
])('[FRM1] the number %s is kept, however it is spelled', (number) =>
  expect(parseExactJson(`[${number}]`)).toEqual([Number(number)]),
);

test.each([
  '1e23',
  '0.30000000000000004',
  '1.7976931348623157e308',
  '5e-324',
  '1.00000000000000000000',
  '0e999',
  '0.000e-400',
])('[FRM1] %s is exactly a double, and is kept', (number) => expect(isKept(number)).toBe(true));

test.each([
  '1234567890123456789',
  '9007199254740993',
  '-9007199254740993',
  '0.1234567890123456789',
  '1e400',
  '-1E400',
  '1e-400',
  '1.0000000000000000001',
  '123456789012345678e-3',
])('[FRM1, AGT6] the number %s, which a double cannot hold, is refused', (number) => {
  expect(() => parseExactJson(`{"a": [true, {"b \\"c": ${number}}]}`)).toThrow(
    `a.1.b "c: the number ${number} is not kept exactly: send it as a text`,
  );
});

test('[FRM1] digits in texts and names are ignored', () => {
  const value = { '12345678901234567890': ['98765432109876543210', '\\', '1e999', '"12345678901234567890'] };
  expect(parseExactJson(JSON.stringify(value))).toEqual(value);
});

test('[FRM1] everything that JSON writes can be read', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => findInexactNumber(JSON.stringify(value)) === undefined));
  fc.assert(fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => isKept(String(value))));
});

test('[FRM1] an integer is accepted exactly if it survives a round trip', () => {
  const integers = fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n });
  fc.assert(
    fc.property(integers, (value) => {
      const back = BigInt(Number(value).toLocaleString('en', { useGrouping: false, maximumSignificantDigits: 17 }));
      if (back === value) expect(isKept(String(value))).toBe(true);
      if (BigInt(Number(value)) !== value && value % 10n !== 0n) expect(isKept(String(value))).toBe(false);
    }),
  );
});

test('[FRM1, SEC11] a number of a million digits takes linear time', () => {
  const digits = `${'0123456789'.repeat(100_000)}`;
  expect(findInexactNumber(`[0.${digits}]`)).toMatchObject({ path: [0] });
  expect(findInexactNumber(`[1.${'0'.repeat(1_000_000)}]`)).toBeUndefined();
  expect(() => parseExactJson(`[0.${digits}]`)).toThrow(/^0: the number .{61} is not kept exactly/);
});

test('[INT16] a typed number is kept exactly, or refused with a message', () => {
  const form: FormSchema = { type: 'form', fields: [{ id: 'n', type: 'number', label: 'N' }] };
  const faultOf = (typed: string) => checkValues(form, { n: readNumber(typed) }, () => true).n;
  expect(readNumber(' 1.50 ')).toBe(1.5);
  expect(readNumber('')).toBe('');
  expect(faultOf('1e3')).toBeUndefined();
  expect(faultOf('９００７１９９２５４７４０９９３')).toBe('Too large to be kept exactly.');
  expect(faultOf('9007199254740993')).toBe('Too large to be kept exactly.');
  expect(faultOf('1e400')).toBe('Too large to be kept exactly.');
  expect(faultOf('0.1234567890123456789')).toBe('Has too many digits to be kept exactly.');
  expect(faultOf('many')).toBe('Must be a number, as in 1234.5.');
});
