import type { Item } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { argsOfPrompt, type Chain } from './chain.ts';

const chainOf = (request: object) => ({ current: { request: { payload: request } } }) as Chain;
const callOf = (payload: object) => ({ kind: 'tool', call: { payload } }) as Item;

test('[APR2] an edit begins with what its prompt is about, and that is what its call runs with unless it says otherwise', () => {
  const read = callOf({ args: { app: 'a' }, parsedArgs: { app: 'a', env: 'production' } });
  expect(argsOfPrompt(chainOf({}), read)).toEqual({ app: 'a', env: 'production' });
  expect(argsOfPrompt(chainOf({ args: { app: 'b' } }), read)).toEqual({ app: 'b' });
  expect(argsOfPrompt(chainOf({}), callOf({ args: { app: 'a' } }))).toEqual({ app: 'a' });
  expect(argsOfPrompt(chainOf({}), undefined)).toBeUndefined();
});
