import { expect, test } from 'vitest';
import { type CloseCode, closeCodes, isWorthRetrying } from './close-code.ts';

const codes = Object.entries(closeCodes) as [keyof typeof closeCodes, CloseCode][];

test.each(codes)('[FRM3] %s is 4000 + an HTTP status, or the service restart of WebSocket', (_, code) => {
  expect(code === 1012 || (code >= 4400 && code <= 4599)).toBe(true);
});

test('[FRM3] each reason has its own code', () => {
  expect(new Set(codes.map(([, code]) => code)).size).toBe(codes.length);
});

test('[FRM3] the codes of the contract are these', () => {
  expect(Object.values(closeCodes)).toEqual(expect.arrayContaining([4400, 4401, 4403, 4408, 4429, 1012]));
});

test.each(codes)('[FRM3] %s (%i): clients know whether to reconnect', (name, code) => {
  const isFinal = ['badRequest', 'unauthorised', 'forbidden', 'upgradeRequired'].includes(name);
  expect(isWorthRetrying(code)).toBe(!isFinal);
});

test.each([1000, 1001, 1006, 4999])('[FRM4] after %i, which is not final, the client reconnects', (code) => {
  expect(isWorthRetrying(code)).toBe(true);
});
