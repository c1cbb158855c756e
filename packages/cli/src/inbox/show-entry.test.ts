import type { InboxEntry } from '@parleyhq/core';
import { describe, expect, test } from 'vitest';
import { describeEntry, showEntry } from './show-entry.ts';

const now = Date.parse('2026-03-01T09:00:00Z');

const entryWith = (expiresAt?: string, more: Partial<InboxEntry> = {}): InboxEntry => {
  const interaction = {
    ...{ interactionId: 'call.1', toolCallId: 'call', toolName: 'deploy', slot: '', attempt: 1, digest: 'd' },
    ...{ interactionType: 'confirm', title: 'Deploy?', presentation: 'tool', onUnavailable: 'error' },
    ...(expiresAt !== undefined && { expiresAt }),
  };
  return { sessionId: 's-1', sessionTitle: 'Release 2', interaction, ...more } as unknown as InboxEntry;
};

describe('[ASK8] a line of the inbox', () => {
  test('names the session by its title, or by its id if it has no title', () => {
    expect(describeEntry(entryWith(), now)).toBe('call.1  confirm  Deploy?  in Release 2');
    const { sessionTitle: _, ...untitled } = entryWith();
    expect(describeEntry(untitled, now)).toBe('call.1  confirm  Deploy?  in s-1');
  });

  test('[WEB3, ACP1] names the prompt in plain text, also of a program that writes Markdown', () => {
    const { interaction, ...entry } = entryWith();
    const change = { interactionType: 'approval', title: 'gemini: `npm test`' };
    const marked = { ...entry, interaction: { ...interaction, ...change } } as InboxEntry;
    expect(describeEntry(marked, now)).toBe('call.1  approval  gemini: npm test  in Release 2');
    expect(showEntry(marked, undefined)).toContain('\n\ngemini: npm test\n\n');
  });

  test('[INT10] distinguishes a future deadline, one that has passed, and late answers', () => {
    const later = '2026-03-01T10:00:00.000Z';
    const before = '2026-03-01T08:59:59.000Z';
    expect(describeEntry(entryWith(later), now)).toContain('  until 2026-03-01 10:00:00 UTC');
    expect(describeEntry(entryWith(before), now)).toContain('  expired at 2026-03-01 08:59:59 UTC, but still open');
    expect(describeEntry(entryWith(before, { pending: true }), now)).toMatch(/ {2}\(late answers are taken\)$/);
  });

  test('[REV4] the last comment is named, on the same line', () => {
    const comments = {
      count: 2,
      seq: 9,
      at: '2026-03-01T09:00:00.000Z',
      person: 'p',
      by: 'Ann',
      text: 'Is it\ntested?',
    };
    expect(describeEntry(entryWith(undefined, { comments }), now)).toMatch(/ {2}Ann says: Is it tested\?$/);
  });
});

const promptWith = (more: object): InboxEntry => {
  const entry = entryWith();
  return { ...entry, interaction: { ...entry.interaction, ...more } } as InboxEntry;
};

describe('[ASK8] a whole prompt', () => {
  test('[APR7] an approval lists its scopes and rules, and ends with the answers', () => {
    const rules = [
      { id: 'folder', label: 'everything in tmp', key: 'k', scopes: ['session', 'always'] },
      { id: 'file', label: 'this file', key: 'f', scopes: ['session'] },
    ];
    const entry = promptWith({ interactionType: 'approval', approvalScopes: ['once', 'session'], rules });
    const said = [
      '--scope: once, session',
      '--rule folder: everything in tmp (--scope session or always)',
      '--rule file: this file (--scope session)',
      'comment 1, Ann: Why?',
      'answers: approve, deny, cancel',
    ];
    expect(showEntry(entry, 'comment 1, Ann: Why?')).toContain(`Deploy?\n\n${said.join('\n\n')}\n`);
  });

  test('[APR7] lists only the scopes and rules that the person may choose', () => {
    const rules = [
      { id: 'folder', label: 'everything in tmp', key: 'k', scopes: ['session', 'always'] },
      { id: 'saved', label: 'kept', key: 'f', scopes: ['always'] },
    ];
    const entry = promptWith({ interactionType: 'approval', approvalScopes: ['once', 'always'], rules });
    const said = ['--rule folder: everything in tmp (--scope session)', 'answers: approve, deny, cancel'];
    expect(showEntry(entry, undefined, (scope) => scope !== 'always')).toContain(`Deploy?\n\n${said.join('\n\n')}\n`);
  });

  test('[PLG11] a form ends with its answers and its buttons', () => {
    const fields = [{ id: 'tea', type: 'text' }];
    const actions = [{ id: 'back', label: 'Back' }];
    const entry = promptWith({ interactionType: 'input', inputSchema: { type: 'form', fields }, actions });
    const end = '\n\n  tea (text, optional) tea\n\n--button back: Back\n\nanswers: submit, cancel, --button back\n';
    expect(showEntry(entry, undefined).endsWith(end)).toBe(true);
  });
});

test('[SIGN2] a prompt that demands a passkey says where it is answered, and offers only a no', () => {
  const shown = showEntry(promptWith({ interactionType: 'approval', stepUp: true }), undefined);
  expect(shown).toContain('needs your passkey: open it on the page');
  expect(shown).toMatch(/answers: deny, cancel\n$/);
});
