import { createSign, generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { isCanonical, isDer } from './spelling.ts';

const isHexDer = (hex: string) => isDer(Buffer.from(hex.replace(/ /g, ''), 'hex'));

test('[SIGN2, SIGN3] a text in base64url has one spelling', () => {
  expect(['', 'AA', 'AAA', 'AAAA', '-_8'].every(isCanonical)).toBe(true);
  expect(['AB', 'AAB', 'AA==', '+/8', 'A', 'AA '].some(isCanonical)).toBe(false);
});

test.each([
  ['the least numbers', '30 06 0201 01 0201 7f', true],
  ['a zero that says that a number is positive', '30 07 0202 0080 0201 01', true],
  ['a needless zero', '30 07 0202 0001 0201 01', false],
  ['a negative number', '30 06 0201 80 0201 01', false],
  ['nothing instead of a number', '30 05 0200 0201 01', false],
  ['a zero', '30 06 0201 00 0201 01', false],
  ['a length in the longer form', '30 81 06 0201 01 0201 01', false],
  ['a length that is wrong', '30 07 0201 01 0201 01', false],
  ['bytes that follow', '30 06 0201 01 0201 01 00', false],
  ['a third number', '30 09 0201 01 0201 01 0201 01', false],
  ['one number', '30 03 0201 01', false],
  ['another type', '31 06 0201 01 0201 01', false],
  ['nothing', '', false],
])('[SIGN2, SIGN3] a signature in DER has one spelling: %s', (_, hex, isOne) => {
  expect(isHexDer(hex)).toBe(isOne);
});

test('[SIGN2, SIGN3] what is signed on any curve is in DER', () => {
  for (const namedCurve of ['P-256', 'P-384', 'P-521']) {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve });
    for (let n = 0; n < 100; n += 1) {
      const signature = createSign('sha256').update(String(n)).sign(privateKey);
      expect(isDer(signature), signature.toString('hex')).toBe(true);
    }
  }
});
