import { expect, test } from 'vitest';
import { findDifference } from './difference.ts';
import type { InteractionItem, Items } from './items.ts';

const item = (seq: number, id: string, response?: object) => ({
  kind: 'interaction',
  request: {
    seq,
    payload: { toolCallId: id, toolName: 'run', interactionType: 'approval', source: { kind: 'tool', name: 'run' } },
  },
  ...(response && { response: { payload: response } }),
});
const tool = (id: string, args: object) => ({
  kind: 'tool',
  call: { payload: { toolCallId: id, toolName: 'run', args } },
});

test('[LESS2] what was allowed after an edit is not called the same as what was asked then', () => {
  const asked = { command: 'rm -rf /' };
  const items = new Map<string, unknown>([
    ['tool:c1', tool('c1', asked)],
    ['interaction:c1.1', item(2, 'c1', { action: 'approve', editedArgs: { command: 'rm -rf ./tmp' } })],
    ['tool:c2', tool('c2', asked)],
  ]);
  const current = item(4, 'c2');
  const difference = findDifference(items as Items, current as unknown as InteractionItem);
  // the page says of this: "The same as last time, when it was allowed."
  expect(difference).not.toMatchObject({ wasAllowed: true, changed: [] });
});

test('[LESS2] another approval of the same call is not called the same as the one before it', () => {
  // one call, whose handler asks "Look at it?" and then "Send it to everybody?": both without args of their own
  const ask = (seq: number, slot: string, title: string, text: string, response?: object) => {
    const it = item(seq, 'c1', response);
    return {
      ...it,
      request: { seq, payload: { ...it.request.payload, slot, title, subject: { kind: 'text', text } } },
    };
  };
  const items = new Map<string, unknown>([
    ['tool:c1', tool('c1', { file: 'a' })],
    ['interaction:c1.1', ask(2, 'approve:["look"]', 'Look at it?', 'a', { action: 'approve' })],
  ]);
  const current = ask(4, 'approve:["send"]', 'Send it to everybody?', 'all of a');
  const difference = findDifference(items as Items, current as unknown as InteractionItem);
  expect(difference).not.toMatchObject({ wasAllowed: true, changed: [] });
});
