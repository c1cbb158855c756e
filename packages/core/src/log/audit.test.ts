import { expect, test } from 'vitest';
import { auditOf } from './audit.ts';
import type { ChatEvent } from './event.ts';
import { emptyHead, type Head } from './head.ts';
import type { OpenPrompt } from './prompt-life.ts';

const at = '2026-03-01T12:00:00.000Z';
const by = { clientId: 'c', principal: 'p1', role: 'responder', label: 'Desk' };
const auditActor = { principal: 'owner', role: 'operator', transport: 'ws' } as never;
const request = { interactionId: 'c1.1', toolCallId: 'c1', toolName: 'deploy', digest: 'd1' };
const asking: Head = { ...emptyHead, prompts: [{ request, state: 'open' } as OpenPrompt] };

const event = (type: string, payload: object, seq = 7) => ({ type, seq, timestamp: at, payload }) as ChatEvent;
const settled = { interactionId: 'c1.1', toolCallId: 'c1' };
const claim = { seq: 7, at, ...settled, toolName: 'deploy', digest: 'd1' };

test('[SEC7] a settlement is recorded with its prompt and its actor', () => {
  const answer = { ...settled, action: 'approve', approvalScope: 'session', editedArgs: {}, late: true, by };
  expect(auditOf(asking, [event('interaction_response', answer)], auditActor)).toEqual([
    {
      event: 'interaction_response',
      ...claim,
      outcome: 'approve',
      scope: 'session',
      isEdited: true,
      late: true,
      by: auditActor,
    },
  ]);
  const granted = { ...settled, action: 'approve', grantId: 'g', by };
  expect(auditOf(asking, [event('interaction_response', granted)], undefined)).toEqual([
    { event: 'interaction_response', ...claim, outcome: 'approve', grantId: 'g', by },
  ]);
  expect(auditOf(asking, [event('interaction_expired', settled)], undefined)).toEqual([
    { event: 'interaction_expired', ...claim, outcome: 'expired' },
  ]);
  const closed = event('interaction_closed', { ...settled, reason: 'cancelled' });
  expect(auditOf(asking, [closed], auditActor)).toEqual([
    { event: 'interaction_closed', ...claim, outcome: 'cancelled', by: auditActor },
  ]);
});

test('[SEC7] a prompt that was asked and settled in one append is found by its request', () => {
  const asked = event('interaction_request', request, 6);
  const closed = event('interaction_closed', { ...settled, reason: 'timeout' });
  expect(auditOf(emptyHead, [asked, closed], undefined)).toEqual([
    { event: 'interaction_closed', ...claim, outcome: 'timeout' },
  ]);
});

test('[SEC7] a call is recorded unless a person decides it; then their answer is', () => {
  const call = (authorised: object) =>
    event('tool_call', { toolCallId: 'c1', toolName: 'deploy', args: {}, authorised });
  const row = { event: 'tool_call', seq: 7, at, toolCallId: 'c1', toolName: 'deploy' };
  expect(auditOf(emptyHead, [call({ by: 'mode' })], undefined)).toEqual([{ ...row, outcome: 'mode' }]);
  expect(auditOf(emptyHead, [call({ by: 'grant', grantId: 'g' })], undefined)).toEqual([
    { ...row, outcome: 'grant', grantId: 'g' },
  ]);
  expect(auditOf(emptyHead, [call({ by: 'person', interactionId: 'c1.0' })], undefined)).toEqual([]);
});

test('[SEC7] changes of mode and agent are recorded, those of a title are not', () => {
  const change = (payload: object) => auditOf(emptyHead, [event('session_changed', payload)], undefined);
  expect(change({ permissionMode: 'plan', by })).toEqual([
    { event: 'session_changed', seq: 7, at, permissionMode: 'plan', by },
  ]);
  expect(change({ agent: 'quiet', by })).toEqual([{ event: 'session_changed', seq: 7, at, agent: 'quiet', by }]);
  expect(change({ title: 'New', by })).toEqual([]);
});
