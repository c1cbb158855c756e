import type { Item } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { argsOfPrompt, type Chain } from './chain.ts';

const chainOf = (request: object) => ({ current: { request: { payload: request } } }) as Chain;
const callOf = (payload: object) => ({ kind: 'tool', call: { payload } }) as Item;

test('[APR2] an edit starts with what its prompt is about: the arguments of the call, or the prompt’s own', () => {
  const read = callOf({ args: { app: 'a' }, parsedArgs: { app: 'a', env: 'production' } });
  expect(argsOfPrompt(chainOf({}), read)).toEqual({ app: 'a', env: 'production' });
  expect(argsOfPrompt(chainOf({ args: { app: 'b' } }), read)).toEqual({ app: 'b' });
  expect(argsOfPrompt(chainOf({}), callOf({ args: { app: 'a' } }))).toEqual({ app: 'a' });
  expect(argsOfPrompt(chainOf({}), undefined)).toBeUndefined();
});
