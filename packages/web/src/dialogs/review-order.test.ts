import type { InteractionRequest, Items } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { orderReview } from './review-order.ts';

test('[LESS2] a review is read by risk, then by difference, the first of its kind first', () => {
  const items = new Map<string, unknown>();
  const requests: InteractionRequest[] = [];
  const add = (id: string, toolName: string, args: object, more: object) => {
    const seq = items.size + 1;
    const { action, risk } = more as { action?: string; risk?: string };
    items.set(`tool:${id}`, { kind: 'tool', call: { payload: { toolCallId: id, toolName, args } } });
    const source = { kind: 'tool', name: toolName };
    const payload = { toolCallId: id, interactionId: id, toolName, interactionType: 'approval', source, risk };
    const response = action === undefined ? {} : { response: { payload: { action } } };
    items.set(`interaction:${id}`, { kind: 'interaction', request: { seq, payload }, ...response });
    if (action === undefined) requests.push(payload as unknown as InteractionRequest);
  };
  add('done', 'run', { command: 'a', cwd: 'x' }, { action: 'approve' });
  add('same', 'run', { command: 'a', cwd: 'x' }, {});
  add('folder', 'run', { command: 'a', cwd: 'y' }, {});
  add('all', 'run', { command: 'b', cwd: 'y' }, {});
  add('first', 'other', {}, {});
  add('risky', 'run', { command: 'a', cwd: 'x' }, { risk: 'high' });
  const order = orderReview(requests, items as Items).map(({ interactionId }) => interactionId);
  expect(order).toEqual(['risky', 'first', 'all', 'folder', 'same']);
  expect(orderReview(requests, undefined).map(({ interactionId }) => interactionId)).toEqual([
    'risky',
    'same',
    'folder',
    'all',
    'first',
  ]);
});

test('[LESS2] an approval that states no risk is read before those of a lower risk than high', () => {
  const risks = ['low', undefined, 'high', 'medium'] as const;
  const requests = risks.map((risk, n) => ({ interactionId: `${n}`, risk }) as unknown as InteractionRequest);
  expect(orderReview(requests, undefined).map(({ risk }) => risk)).toEqual(['high', undefined, 'medium', 'low']);
});
