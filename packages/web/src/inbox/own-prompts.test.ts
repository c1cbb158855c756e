import { makeRequest } from '@parleyhq/client/testing';
import type { InboxEntry } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { findNextPrompt, findOwnPrompts, groupBySession } from './own-prompts.ts';

const entry = (sessionId: string, id: string): InboxEntry => ({ sessionId, interaction: makeRequest(id) });
const idsOf = (entries: readonly InboxEntry[]) => entries.map(({ interaction }) => interaction.interactionId);
const inbox = [entry('a', '1'), entry('b', '2'), entry('a', '3'), entry('c', '4'), entry('b', '5')];

test('[WEB8] prompts are grouped by session, in the order of each session’s oldest', () => {
  expect(groupBySession(inbox).map(({ sessionId, prompts }) => [sessionId, idsOf(prompts)])).toEqual([
    ['a', ['1', '3']],
    ['b', ['2', '5']],
    ['c', ['4']],
  ]);
});

test('[WEB5] the next prompt is the next one in the list', () => {
  const welcome = { principal: { id: 'ann', role: 'operator' } } as Parameters<typeof findOwnPrompts>[0]['welcome'];
  const own = findOwnPrompts({ welcome, inbox });
  const order: string[] = [];
  for (let focused: string | undefined; order.length < 5; ) {
    focused = findNextPrompt(own, { sessionId: '', shown: [], focused })?.interaction.interactionId ?? '';
    order.push(focused);
  }
  expect(order).toEqual(['1', '3', '2', '5', '4']);
});
