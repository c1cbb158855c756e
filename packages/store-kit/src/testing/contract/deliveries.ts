import type { Delivery, Device } from '@parleyhq/core';
import { describe, expect, test } from 'vitest';
import { codeOf, makeSession } from './make.ts';
import type { Subject } from './subject.ts';

const at = (minute: number) => `2026-03-01T12:${String(minute).padStart(2, '0')}:00.000Z`;

function makeDevice(id: string, part: Partial<Device> = {}): Device {
  return {
    id,
    createdAt: at(0),
    principal: 'owner',
    credential: {},
    subscription: { endpoint: `https://push.example.org/${id}`, keys: { p256dh: 'key', auth: 'secret' } },
    name: 'Phone',
    detail: 'none',
    ...part,
  };
}

function makeDelivery(part: Partial<Delivery> = {}): Delivery {
  return {
    interactionId: 'call-1.1',
    sessionId: 's1',
    target: 'device:d1',
    principal: 'owner',
    epoch: 'e1',
    state: 'due',
    attempts: 0,
    at: at(0),
    ...part,
  };
}

/** Tests devices and the notifications of people. */
export function testReach(subject: Subject): void {
  describe('reaching people', () => {
    test('[NTF2] a device replaces the one of its id and the one of its endpoint, also after reopening', async () => {
      const { devices } = subject.store;
      await devices.put(makeDevice('d2', { createdAt: at(2) }));
      await devices.put(makeDevice('d1', { createdAt: at(1) }));
      await devices.put(makeDevice('d1', { createdAt: at(1), name: 'Tablet', detail: 'title' }));
      const { subscription } = makeDevice('d2');
      await devices.put(makeDevice('d3', { createdAt: at(3), subscription }));
      const reopened = await subject.reopen();
      expect((await reopened.devices.list()).map(({ id, name }) => [id, name])).toEqual([
        ['d1', 'Tablet'],
        ['d3', 'Phone'],
      ]);
      expect(await reopened.devices.remove('d1')).toBe(true);
      expect(await reopened.devices.remove('d1')).toBe(false);
      expect((await reopened.devices.list()).map(({ id }) => id)).toEqual(['d3']);
    });

    test('[NTF2, SEC9] a device of a credential that has ended is not stored', async () => {
      const { devices } = subject.store;
      const authority = { credential: { tokenId: 'gone' }, now: Date.parse(at(0)) };
      expect(await codeOf(devices.put(makeDevice('d1'), authority))).toBe('StoreError unauthorised');
      expect(await devices.list()).toEqual([]);
    });

    test('[NTF4] there is one delivery for each prompt and target, and it is deleted with its session', async () => {
      const { sessions, deliveries } = subject.store;
      await sessions.create(makeSession('s1'));
      await sessions.create(makeSession('s2'));
      const later = makeDelivery({ target: 'mail:ann', principal: 'ann', at: at(1) });
      await deliveries.put([makeDelivery(), later, makeDelivery({ sessionId: 'gone', interactionId: 'call-9.1' })]);
      await deliveries.put([makeDelivery({ state: 'sent', attempts: 1, at: at(2), fault: 'slow' })]);
      const elsewhere = makeDelivery({ sessionId: 's2', interactionId: 'call-2.1', state: 'failed', at: at(3) });
      await deliveries.put([elsewhere]);
      const reopened = await subject.reopen();
      const sent = makeDelivery({ state: 'sent', attempts: 1, at: at(2), fault: 'slow' });
      expect(await reopened.deliveries.list({ limit: 9 })).toEqual([elsewhere, sent, later]);
      expect(await reopened.deliveries.list({ limit: 1 })).toEqual([elsewhere]);
      expect(await reopened.deliveries.list({ principal: 'ann', limit: 9 })).toEqual([later]);
      expect(await reopened.deliveries.unfinished()).toEqual([later, sent]);
      const places = [elsewhere, { sessionId: 's1', interactionId: 'call-2.1' }];
      expect(await reopened.deliveries.ofPrompts(places)).toEqual([elsewhere]);
      expect(await reopened.deliveries.ofPrompts([sent])).toHaveLength(2);
      await reopened.sessions.remove('s1', { event: 'session_deleted', at: at(4) });
      expect(await reopened.deliveries.list({ limit: 9 })).toEqual([elsewhere]);
    });

    test('[NTF4, CHAT1] a delivery whose message must be changed outlives its session until it is finished, whatever has its place', async () => {
      const { sessions, deliveries } = subject.store;
      const remove = (id: string) => sessions.remove(id, { event: 'session_deleted', at: at(4) });
      const sent = makeDelivery({ state: 'sent', message: { id: 1 }, at: at(1) });
      const other = makeDelivery({ ...sent, sessionId: 's2', at: at(2) });
      const late = makeDelivery({ ...sent, sessionId: 's0', at: at(3) });
      for (const delivery of [sent, other]) {
        await sessions.create(makeSession(delivery.sessionId)); // the second takes the row that the first leaves
        await deliveries.put([delivery, makeDelivery({ ...delivery, target: 'x', state: 'withdrawn' })]);
        await remove(delivery.sessionId);
      }
      await deliveries.put([late]); // it was being sent when its session was deleted
      const reopened = await subject.reopen();
      await reopened.sessions.create(makeSession('s3'));
      expect(await reopened.deliveries.unfinished()).toEqual([sent, other, late]);
      expect(await reopened.deliveries.list({ limit: 9 })).toEqual([late, other, sent]);
      expect(await reopened.deliveries.ofPrompts([sent, { ...sent, sessionId: 's3' }])).toEqual([]);
      await reopened.deliveries.put([
        { ...sent, state: 'withdrawn' },
        { ...late, state: 'withdrawn' },
      ]);
      expect(await reopened.deliveries.list({ limit: 9 })).toEqual([other]);
    });

    test('[NTF4] finished deliveries are kept for a week', async () => {
      const { sessions, deliveries } = subject.store;
      await sessions.create(makeSession('s1'));
      const old = (interactionId: string, state: Delivery['state']) =>
        makeDelivery({ interactionId, state, at: '2026-02-01T00:00:00.000Z' });
      await deliveries.put([old('call-1.1', 'failed'), old('call-2.1', 'withdrawn'), old('call-3.1', 'due')]);
      expect(await deliveries.list({ limit: 9 })).toHaveLength(3);
      await deliveries.put([makeDelivery({ interactionId: 'call-4.1' })]);
      expect((await deliveries.list({ limit: 9 })).map((each) => each.interactionId)).toEqual(['call-4.1', 'call-3.1']);
    });
  });
}
