import type { InteractionRequest, OpenPrompt } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { mayHibernate, type WaitingCall } from './hibernation.ts';

function promptWith(request: Partial<InteractionRequest>, state: OpenPrompt['state'] = 'open'): OpenPrompt {
  return { state, request: { toolCallId: 'call', ...request } } as unknown as OpenPrompt;
}

const form = (type: 'text' | 'secret' | 'file') => ({
  inputSchema: { type: 'form', fields: [{ id: 'value', type }] } as unknown as NonNullable<
    InteractionRequest['inputSchema']
  >,
});

const waiting: WaitingCall = {
  tool: { hibernates: true },
  call: { toolCallId: 'call' },
  prompts: [promptWith(form('text'))],
  usedGrant: false,
};

test.each<[string, Partial<WaitingCall>]>([
  ['it asks for what is stored', {}],
  [
    'its cancel hook was for a question that it has put off',
    { prompts: [promptWith({ hasCancelHook: true }, 'pending')] },
  ],
  ['another call has a cancel hook', { prompts: [promptWith({ hasCancelHook: true, toolCallId: 'other' })] }],
])('[DUR10] a waiting call may leave memory: %s', (_, change) => {
  expect(mayHibernate({ ...waiting, ...change })).toBe(true);
});

test.each<[string, Partial<WaitingCall>]>([
  ['its tool does not hibernate', { tool: {} }],
  ['its tool is gone', { tool: undefined }],
  ['its tool is not durable', { tool: { hibernates: true, durable: false } }],
  ['a sub-agent made it', { call: { toolCallId: 'call', parentToolCallId: 'parent' } }],
  ['it was allowed by a grant', { call: { toolCallId: 'call', authorised: { by: 'grant' } as never } }],
  ['it used a grant', { usedGrant: true }],
  ['its question has a cancel hook', { prompts: [promptWith({ hasCancelHook: true })] }],
  ['it asks for a secret', { prompts: [promptWith(form('secret'))] }],
  ['it asks for a file', { prompts: [promptWith(form('file'))] }],
])('[DUR10] a waiting call stays in memory: %s', (_, change) => {
  expect(mayHibernate({ ...waiting, ...change })).toBe(false);
});
