import type { InteractionRequest } from '@parleyhq/core';
import { describe, expect, test } from 'vitest';
import { buttonsFor } from './buttons.ts';

const prompt: InteractionRequest = {
  toolCallId: 'call-1',
  interactionId: 'call-1.1',
  slot: '1',
  toolName: 'shell',
  interactionType: 'approval',
  attempt: 1,
  presentation: 'tool',
  source: { kind: 'tool', name: 'shell' },
  digest: 'd',
  onUnavailable: 'wait',
  subject: { kind: 'command', text: 'npm test' },
};

describe('[NTF2] the buttons of a notification', () => {
  test.each<[string, Partial<InteractionRequest>, readonly string[]]>([
    ['a short command', {}, ['deny', 'approve']],
    ['high risk', { risk: 'high' }, ['deny']],
    ['what demands a passkey', { stepUp: true }, ['deny']],
    ['no subject', { subject: undefined }, ['deny']],
    ['80 characters', { subject: { kind: 'text', text: 'x'.repeat(80) } }, ['deny', 'approve']],
    ['81 characters', { subject: { kind: 'text', text: 'x'.repeat(81) } }, ['deny']],
    ['two lines', { subject: { kind: 'text', text: 'a\nb' } }, ['deny']],
    ['a hidden character', { subject: { kind: 'text', text: 'a\u202eb' } }, ['deny']],
    ['a call that is hidden from others', { visibility: 'audience' }, ['deny']],
    ['what can only be allowed for longer', { approvalScopes: ['session', 'always'] }, ['deny']],
    ['a denial that needs a reason', { reasonRequired: ['deny'] }, ['approve']],
    ['answers that all need a reason', { reasonRequired: ['deny', 'approve'] }, []],
    ['a form', { interactionType: 'input' }, []],
    ['a form beside the approval', { inputSchema: { type: 'form', fields: [] } }, []],
  ])('%s', (_, part, actions) => {
    expect(buttonsFor({ detail: 'subject' }, { ...prompt, ...part } as InteractionRequest)).toEqual(actions);
  });

  test('a device that may not show subjects offers no approval', () => {
    expect(buttonsFor({ detail: 'title' }, prompt)).toEqual(['deny']);
  });
});
