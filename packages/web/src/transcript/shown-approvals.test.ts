import type { SessionState } from '@parleyhq/client';
import { makeRequest } from '@parleyhq/client/testing';
import {
  type ChatEvent,
  emptyHead,
  emptyItems,
  listItems,
  type NewEvent,
  reduceHead,
  reduceItems,
} from '@parleyhq/core';
import { expect, test } from 'vitest';
import { findRows } from './rows.ts';
import { findShownApprovals } from './shown-approvals.ts';

const asked = ['a.1', 'b.1'].map((id) => makeRequest(id, { interactionType: 'approval' }));
const log = asked.map((payload, n) => {
  const event: NewEvent = { type: 'interaction_request', payload };
  return { ...event, seq: n + 1, timestamp: '' } as ChatEvent;
});
const whole: SessionState = {
  phase: 'live',
  session: undefined,
  epoch: 'epoch',
  head: log.reduce(reduceHead, emptyHead),
  items: reduceItems(emptyItems, log),
  streams: [],
  firstSeq: 1,
  lastSeq: 2,
  snapshotSeq: 0,
};

const find = (state: SessionState) =>
  findShownApprovals(state, findRows(listItems(state.items)), { id: 'p', role: 'operator' }).map(
    ({ interactionId }) => interactionId,
  );

test('[APR5] approvals are answered together once the session is live', () => {
  expect(find(whole)).toEqual(['a.1', 'b.1']);
  for (const phase of ['loading', 'behind', 'gone'] as const) expect(find({ ...whole, phase })).toEqual([]);
});

test('[APR5] an approval whose card is missing, cut or of another digest is not answered together with others', () => {
  const { items, head } = whole;
  const [first, ...others] = head.prompts;
  if (!first) throw new Error('There are two prompts.');
  expect(find({ ...whole, items: new Map([...items].filter(([key]) => key !== 'interaction:a.1')) })).toEqual(['b.1']);
  expect(find({ ...whole, head: { ...head, prompts: [{ ...first, isCut: true }, ...others] } })).toEqual(['b.1']);
  const changed = { ...first, request: { ...first.request, digest: 'sha256:other' } };
  expect(find({ ...whole, head: { ...head, prompts: [changed, ...others] } })).toEqual(['b.1']);
});
