import { executionAsyncResource } from 'node:async_hooks';
import { expect, test } from 'vitest';
import { CallScope } from './call-scope.ts';

test('[DUR3] a step of one call does not count as a step of a call inside it', async () => {
  const [outer, inner] = [new CallScope(), new CallScope()];
  const names: string[][] = [];
  const note = () => names.push([outer.name, inner.name]);
  await outer.within('step:1', async () => {
    note();
    await inner.within('hook:2', async () => note());
    note();
  });
  note();
  expect(names).toEqual([
    ['step:1', ''],
    ['', 'hook:2'],
    ['step:1', ''],
    ['', ''],
  ]);
  expect([outer.isActive, inner.isActive]).toEqual([false, false]);
});

test('[DUR3] ended calls leave nothing attached to later promises', async () => {
  const countMarks = () => Object.getOwnPropertySymbols(executionAsyncResource()).length;
  const marks: number[] = [];
  for (let call = 0; call < 20; call += 1) await new CallScope().within('step:1', async () => marks.push(countMarks()));
  expect(new Set(marks).size).toBe(1);
});
