import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ReadTurns } from './read-turns.ts';

test('[FRM5, SEC11] one read of a person begins in each turn of the event loop, and those of others run in between', async () => {
  const turns = new ReadTurns();
  const begun: string[] = [];
  const note = (name: string) => turns.next(name.slice(0, 1)).then(() => begun.push(name));
  const all = Promise.all(['a1', 'a2', 'a3', 'b1'].map(note));
  expect(begun).toEqual([]);
  await setImmediate();
  expect(begun).toEqual(['a1', 'b1']);
  await all;
  expect(begun).toEqual(['a1', 'b1', 'a2', 'a3']);
  await note('a4');
  expect(begun.at(-1)).toBe('a4');
});
