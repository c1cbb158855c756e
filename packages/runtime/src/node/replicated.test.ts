import { expect, test } from 'vitest';
import { Replicated } from './replicated.ts';

test('[OPS4] a change of what other nodes publish is reported once, with what was known before', () => {
  const changes: unknown[] = [];
  const value: Replicated<readonly string[]> = new Replicated<readonly string[]>(
    'looking',
    () => ['ann'],
    (before) => changes.push([before, value.others]),
  );
  value.update(new Map([['b', ['bo']]]));
  value.update(new Map([['b', ['bo']]]));
  value.update(new Map());
  expect(changes).toEqual([
    [[], [['bo']]],
    [[['bo']], []],
  ]);
  expect([value.json, value.at('b')]).toEqual([['ann'], undefined]);
});
