import { expect, test } from 'vitest';
import { explainEmpty } from './empty-words.ts';

const ann = { id: 'ann', role: 'responder' } as const;
const empty = { principal: ann, hidden: 0, forOthers: 0, isInteractive: true };

test.each([
  ['a viewer', { ...empty, principal: { id: 'bob', role: 'viewer' as const }, forOthers: 1 }, /viewer.*role responder/],
  ['what is put off', { ...empty, hidden: 1, forOthers: 1 }, /put off/],
  ['what is for others', { ...empty, forOthers: 1 }, /for others/],
  ['interactive mode that is off', { ...empty, isInteractive: false }, /Interactive mode is disabled/],
  ['nothing at all', empty, /from every session/],
])('[WEB8] an empty inbox explains %s', (_, facts, words) => {
  const explained = explainEmpty(facts);
  expect(`${explained.words} ${explained.note}`).toMatch(words);
});
