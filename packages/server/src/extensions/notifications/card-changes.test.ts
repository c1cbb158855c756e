import type { Delivery, InteractionRequest, PastPrompt } from '@parleyhq/core';
import { expect, test } from 'vitest';
import type { Entry } from '../inbox/inbox-entries.ts';
import type { Attempt } from './attempt.ts';
import { CardChanges } from './card-changes.ts';
import { DeliveryLog } from './delivery-log.ts';
import { NotificationError, type Target } from './target.ts';

const target = { id: 'chat:1', principal: { id: 'ann', role: 'responder' }, hasCards: true } as Target;

function makeDelivery(sessionId: string): Delivery {
  const news = { interactionId: 'i-1', sessionId } as Delivery['news'];
  return {
    ...{ interactionId: 'i-1', sessionId, target: target.id, principal: 'ann', epoch: 'e', state: 'sent' },
    ...{ attempts: 1, at: '2026-03-01T12:00:00.000Z', message: { id: 1 }, ...(news && { news }) },
  };
}

/** Changes of cards whose prompts have the same id in two sessions; `drawn` are the sessions whose prompts were drawn. */
function stage({ attempt = { message: { id: 2 } } }: { attempt?: Attempt } = {}) {
  const clock = { times: [0] };
  const stored: Delivery[] = [];
  const drawn: string[] = [];
  const ledger = new DeliveryLog({
    put: async (deliveries) => void stored.push(...deliveries),
    list: async () => [],
    unfinished: async () => [],
    ofPrompts: async () => [],
  } as ConstructorParameters<typeof DeliveryLog>[0]);
  const entries = ['a', 'b'].map((sessionId) => ({ sessionId, interactionId: 'i-1' }) as Entry);
  const changes = new CardChanges({
    inbox: {
      waitingFor: () => entries,
      isOpen: () => true,
      readRequest: async ({ sessionId }) => ({ title: sessionId }) as InteractionRequest,
    },
    ledger,
    now: () => clock.times.shift() ?? 0,
    readSettled: async () => ({}) as PastPrompt,
    attempt: async (_target, _news, { prompt }) => {
      drawn.push(String(prompt?.title));
      return attempt;
    },
    countIn: () => 1,
    isRunning: () => true,
  });
  return { ledger, changes, stored, drawn, clock };
}

test('[CHAT1] a message is changed to the prompt of its own session, and its new identification is stored', async () => {
  const { ledger, changes, stored, drawn } = stage();
  const delivery = makeDelivery('b');
  await changes.refresh(target, delivery);
  expect(drawn).toEqual(['b']);
  expect(stored).toEqual([{ ...delivery, message: { id: 2 } }]);
  expect(ledger.find(delivery, target.id)?.message).toEqual({ id: 2 });
});

test('[CHAT1] a message whose next attempt becomes due while it is looked for is not overlooked', async () => {
  const delivery = makeDelivery('a');
  const { changes, ledger, clock } = stage({ attempt: new NotificationError('down', 'It is down.') });
  ledger.settle(delivery);
  await ledger.record([delivery], () => false);
  await changes.close(target, delivery);
  clock.times = [999, 1000, 1000]; // a timer that fires early
  expect(changes.findDue(target.id, () => true)).toMatchObject({ settled: [], next: 1000 });
  clock.times = [1000];
  expect(changes.findDue(target.id, () => true)).toMatchObject({ settled: [delivery], next: Number.POSITIVE_INFINITY });
});

test('[CHAT1, CHAT3] a message that was postponed before it could be changed gets no buttons back', async () => {
  const delivery = makeDelivery('a');
  const { changes, ledger, clock } = stage({ attempt: new NotificationError('busy', 'It is busy.') });
  await ledger.record([delivery], () => true);
  ledger.change(delivery);
  await changes.refresh(target, delivery);
  await ledger.record([{ ...delivery, state: 'due', isSnoozed: true }], () => true);
  clock.times = [5000];
  expect(changes.findDue(target.id, () => true).changed).toBeUndefined();
});
