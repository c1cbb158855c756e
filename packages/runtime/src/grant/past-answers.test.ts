import { type ChatEvent, keyOf } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { readAnswers, wasDenied } from './past-answers.ts';

const args = { path: 'a' };

function write(seq: number, type: string, payload: object): ChatEvent {
  const timestamp = '2026-03-01T09:00:00.000Z';
  return { seq, id: `e${seq}`, sessionId: 's', timestamp, v: 1, type, payload } as unknown as ChatEvent;
}

/** A log of these events, at these positions, which finds each by its key. */
function logOf(...events: readonly ChatEvent[]) {
  return {
    events: {
      async *read(_: string, after: number) {
        yield events.filter(({ seq }) => seq > after).map((event) => JSON.stringify(event));
      },
    },
    index: {
      find: async (_: string, ...keys: readonly string[]) =>
        events.filter((event) => keys.includes(keyOf(event) ?? '')).map((event) => JSON.stringify(event)),
    },
  } as unknown as Parameters<typeof wasDenied>[0];
}

/** An approval that is asked at one position, in a slot, and answered at another. */
function asked(at: number, answeredAt: number, answer: object, slot = 'k'): ChatEvent[] {
  const [toolCallId, interactionId] = [`c${at}`, `c${at}.1`];
  const authorised = { by: 'person', revision: 'r1' };
  const prompt = { toolCallId, interactionId, slot, toolName: 'sweep', interactionType: 'approval', suggests: true };
  const response = { toolCallId, interactionId, by: { principal: 'ann' }, ...answer };
  return [
    write(at, 'tool_call', { toolCallId, toolName: 'sweep', args, authorised }),
    write(at + 1, 'interaction_request', prompt),
    write(answeredAt, 'interaction_response', response),
  ];
}

const [approve, deny] = [{ action: 'approve' }, { action: 'deny' }];
const isDenied = (seq: number, ...events: ChatEvent[]) =>
  wasDenied(logOf(...events), { id: 's', seq }, { toolName: 'sweep', args });

test('[LESS2] an answer counts however long ago it was asked for, and says which tool it was', async () => {
  const log = logOf(...asked(1, 2000, deny), ...asked(1990, 2001, approve));
  expect(await readAnswers(log, { id: 's', seq: 2001 }, 'ann')).toMatchObject([
    { toolName: 'sweep', isAllowed: false, revision: 'r1' },
    { toolName: 'sweep', isAllowed: true, revision: 'r1' },
  ]);
});

test('[LESS3] what people denied stays denied until they allow the same, in the same slot', async () => {
  expect(await isDenied(9)).toBe(false);
  expect(await isDenied(2000, ...asked(1, 2000, deny))).toBe(true);
  expect(await isDenied(4000, ...asked(1, 2000, deny))).toBe(false); // too long ago
  expect(await isDenied(9, ...asked(1, 3, { action: 'cancel' }))).toBe(true);
  expect(await isDenied(9, ...asked(1, 3, deny), ...asked(4, 6, approve))).toBe(false);
  expect(await isDenied(9, ...asked(1, 3, deny), ...asked(4, 6, approve, '$gate'))).toBe(true);
  expect(await isDenied(9, ...asked(1, 3, deny), ...asked(4, 6, { ...approve, grantId: 'g' }))).toBe(true);
  expect(await isDenied(9, ...asked(1, 3, deny), ...asked(4, 6, { ...approve, editedArgs: {} }))).toBe(true);
});

test('[LESS3] a denial of other arguments, or of another tool, is another one', async () => {
  const log = logOf(...asked(1, 3, deny));
  expect(await wasDenied(log, { id: 's', seq: 3 }, { toolName: 'sweep', args: { path: 'b' } })).toBe(false);
  expect(await wasDenied(log, { id: 's', seq: 3 }, { toolName: 'other', args })).toBe(false);
});
