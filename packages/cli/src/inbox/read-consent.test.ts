import type { InboxEntry } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { readConsent } from './read-consent.ts';

const rules = [
  { id: 'folder', label: 'everything in tmp', key: 'k', scopes: ['session', 'always'] },
  { id: 'file', label: 'this file', key: 'f', scopes: ['always'] },
];
const offering = (...offered: typeof rules) => ({ interaction: { rules: offered } }) as unknown as InboxEntry;

test.each([
  [{}, { approvalScope: undefined }],
  [{ scope: 'session' }, { approvalScope: 'session' }],
  [{ rule: 'file' }, { ruleId: 'file', approvalScope: 'always' }],
  [
    { rule: 'folder', scope: 'session' },
    { ruleId: 'folder', approvalScope: 'session' },
  ],
  [
    { rule: 'file', scope: 'once' },
    { ruleId: 'file', approvalScope: 'once' },
  ], // the server refuses it
])('[APR7] %j allows %j', (flags, consent) => {
  expect(readConsent(offering(...rules), flags)).toEqual(consent);
});

test('[APR7] a rule that is unknown, or whose scope is open, is refused with what is offered', () => {
  const choose = (entry: InboxEntry, rule: string) => () => readConsent(entry, { rule });
  expect(choose(offering(...rules), 'all')).toThrow('--rule all: it was not offered. Rules: folder, file.');
  expect(choose(offering(), 'all')).toThrow('--rule: this prompt offers none.');
  expect(choose(offering(...rules), 'folder')).toThrow('choose a --scope. It is offered for: session, always.');
});
