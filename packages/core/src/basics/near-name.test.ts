import { expect, test } from 'vitest';
import { findNearName, suggestName } from './near-name.ts';

test.each([
  ['aproval', ['handler', 'approval'], 'approval'],
  ['timeout', ['title', 'timeoutMs'], 'timeoutMs'],
  ['promt', ['prompt', 'title'], 'prompt'],
  ['Readonly', ['readOnly'], 'readOnly'],
  ['ask_usre', ['ask_user', 'ask_parallel'], 'ask_user'],
  ['serv', ['serve', 'export'], 'serve'],
  ['colour', ['port', 'host', 'token'], undefined],
  ['approvalScopes', ['scopes', 'key'], 'scopes'],
  ['x', ['id', 'when'], undefined],
])('[PLG2, AGT6] %s was meant as one of %j: %s', (word, names, near) => {
  expect(findNearName(word, names)).toBe(near);
});

test('[PLG2] a suggestion is a sentence or an empty string', () => {
  expect(suggestName('aproval', ['approval'])).toBe(' Did you mean "approval"?');
  expect(suggestName('zebra', ['approval'])).toBe('');
});
