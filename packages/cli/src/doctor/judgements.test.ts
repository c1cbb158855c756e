import { expect, test } from 'vitest';
import { findOpenness } from './address.ts';
import { judgeSpace } from './data-directory.ts';

test.each([
  [999e9, []],
  [999e6, ['disk-low']],
  [99e6, ['disk-full']],
])('[OPS2] with %d bytes left on the disk it finds %j', (free, codes) => {
  expect(judgeSpace('/data', free).map(({ code }) => code)).toEqual(codes);
});

test.each([
  ['https://parley.example.org/', []],
  ['http://localhost:7420/', []],
  ['http://[::1]:7420/', []],
  ['http://192.0.2.1:7420/', ['unencrypted']],
  ['http://parley.example.org/', ['unencrypted']],
])('[SEC2] at %s it finds %j', (base, codes) => {
  expect(findOpenness({ subject: 'Address', base }).map(({ code }) => code)).toEqual(codes);
});
