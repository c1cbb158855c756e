import { by, makeRequest, type RequestPart } from '@parleyhq/client/testing';
import { type ChatEvent, emptyItems, listItems, type NewEvent, reduceItems } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { findRows } from './rows.ts';

const call = (toolCallId: string): NewEvent => ({
  type: 'tool_call',
  payload: { toolCallId, toolName: 'deploy', args: {}, authorised: { by: 'tool' } },
});
const request = (id: string, part: RequestPart = {}): NewEvent => ({
  type: 'interaction_request',
  payload: makeRequest(id, part),
});
const answer = (interactionId: string): NewEvent => ({
  type: 'interaction_response',
  payload: { toolCallId: 'c', interactionId, answerId: interactionId, action: 'approve', by },
});

function rowsOf(...events: NewEvent[]) {
  const log = events.map((event, n) => ({ ...event, seq: n + 1, timestamp: '' }) as ChatEvent);
  return findRows(listItems(reduceItems(emptyItems, log)));
}

test('[WEB2] prompts are shown in their tool’s block, each chain once with its steps', () => {
  const { rows } = rowsOf(
    call('c'),
    request('c.1'),
    answer('c.1'),
    request('c.2', { replaces: 'c.1' }),
    request('c.3'),
  );
  expect(rows).toMatchObject([
    {
      kind: 'tool',
      chains: [
        { root: 'c.1', steps: [{ interactionId: 'c.1' }], current: { interactionId: 'c.2' } },
        { root: 'c.3', steps: [] },
      ],
    },
  ]);
});

test('[WEB2] a questionnaire is a row of its own, and its tool has no block', () => {
  const { rows } = rowsOf(call('c'), request('c.1', { presentation: 'questionnaire' }));
  expect(rows).toMatchObject([{ kind: 'prompt', chain: { root: 'c.1' } }]);
});

test('[WEB2] a composer prompt is docked until it is settled', () => {
  const asked = [call('c'), request('c.1', { presentation: 'composer' })];
  expect(rowsOf(...asked).docked).toHaveLength(1);
  expect(rowsOf(...asked, answer('c.1')).docked).toHaveLength(0);
});

test('[RPL4] a prompt whose call is on an earlier page is shown without it', () => {
  const { rows } = rowsOf(request('c.1'));
  expect(rows).toMatchObject([{ kind: 'prompt' }]);
});

test('[INT8] a chain that begins on an earlier page is identified by the prompt it replaces', () => {
  const { rows } = rowsOf(request('c.2', { replaces: 'c.1' }), answer('c.2'), request('c.3', { replaces: 'c.2' }));
  expect(rows).toMatchObject([{ kind: 'prompt', chain: { root: 'c.1', current: { interactionId: 'c.3' } } }]);
});
