import type { ChatEvent, FrameBatch, Principal } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { Broadcast } from './broadcast.ts';
import type { Client } from './client.ts';
import { Subscription } from './subscription.ts';
import { Subscriptions } from './subscriptions.ts';
import { Visibility } from './visibility.ts';

const ann: Principal = { id: 'ann', role: 'responder' };
const boss: Principal = { id: 'boss', role: 'operator' };

const event = (seq: number, type: string, payload: object) => ({ seq, type, payload }) as unknown as ChatEvent;
const hiding = event(1, 'interaction_request', {
  toolCallId: 'c',
  interactionId: 'c.1',
  audience: { principals: ['ann'] },
  visibility: 'audience',
});
const result = event(2, 'tool_result', { toolCallId: 'c', toolName: 't', result: 'words' });

test('[TEAM1] stored texts of a session without hidden calls pass unchanged, without being parsed', () => {
  const visibility = new Visibility();
  const texts = ['no JSON at all'];
  visibility.add(result);
  expect(visibility.show(boss, texts)).toBe(texts);
  expect(visibility.hiddenForm(result)).toBeUndefined();
});

test('[TEAM1] each principal gets its own form of a hidden call, and other calls stay unchanged', () => {
  const visibility = new Visibility();
  visibility.add(hiding);
  const other = JSON.stringify(event(3, 'tool_result', { toolCallId: 'd', toolName: 't', result: 'words' }));
  const texts = [JSON.stringify(result), other];
  expect(visibility.show(ann, texts)).toEqual(texts);
  const hidden = { ...result, payload: { hidden: true, toolCallId: 'c' } };
  expect(visibility.show(boss, texts)).toEqual([JSON.stringify(hidden), other]);
});

test('[TEAM1, EVT1] tabs get every event once and in order, whether or not it is hidden from them', async () => {
  const subscriptions = new Subscriptions();
  const broadcast = new Broadcast('s', subscriptions);
  const follow = async (principal: Principal) => {
    const batches: FrameBatch[] = [];
    const client = { principal, sendBatch: (batch: FrameBatch) => batches.push(batch) };
    const subscription = new Subscription(client as unknown as Client, 's', (texts) => texts);
    subscriptions.add(subscription);
    await subscription.catchUp(
      { read: async function* () {} },
      0,
      () => 0,
      () => undefined,
    );
    batches.length = 0;
    return batches;
  };
  const [inside, outside] = [await follow(ann), await follow(boss)];
  const send = (seq: number) => broadcast.sendEvent(JSON.stringify({ seq }));
  send(1);
  send(2);
  const other = { text: JSON.stringify({ seq: 3, hidden: true }), isFor: ({ id }: Principal) => id === 'boss' };
  broadcast.sendEither(JSON.stringify({ seq: 3 }), other);
  send(4);
  send(5);
  const eventsOf = (batches: FrameBatch[]) =>
    batches.flatMap(({ texts }) => texts.map((text) => JSON.parse(text).event));
  expect(eventsOf(inside)).toEqual([1, 2, 3, 4, 5].map((seq) => ({ seq })));
  expect(eventsOf(outside)).toEqual([1, 2, 3, 4, 5].map((seq) => (seq === 3 ? { seq, hidden: true } : { seq })));
  expect(outside[0]).toBe(inside[0]); // what everybody may see is one shared batch
  expect(outside.at(-1)).toBe(inside.at(-1));
});
