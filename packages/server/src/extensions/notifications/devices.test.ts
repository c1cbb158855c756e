import type { Device, DeviceStore, NotificationDetail, Principal } from '@parleyhq/core';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { Tickets } from '../../auth/ticket.ts';
import { Devices } from './devices.ts';

const ann: Principal = { id: 'ann', role: 'responder' };
const subscription = { endpoint: 'https://push.example/1', keys: { p256dh: 'key', auth: 'auth' } };
const quiet = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' };

/** Stores after a delay, like a database. */
class SlowStore implements DeviceStore {
  readonly devices = new Map<string, Device>();

  async put(device: Device): Promise<void> {
    await new Promise(setImmediate);
    this.devices.set(device.id, device);
  }

  async list(): Promise<readonly Device[]> {
    return [...this.devices.values()];
  }

  async remove(id: string): Promise<boolean> {
    return this.devices.delete(id);
  }
}

test('[NTF2] concurrent changes of one browser do not overwrite each other', async () => {
  const store = new SlowStore();
  const devices = new Devices({
    store,
    send: async () => undefined,
    tickets: new Tickets('secret', 'e1'),
    findPrincipal: async () => ann,
    onAdded: () => undefined,
    now: Date.now,
    log: pino({ enabled: false }),
  });
  const wishes = [{ name: 'Phone' }, { detail: 'subject' as NotificationDetail }, {}, { quiet }, {}];
  await Promise.all(wishes.map((wish) => devices.put({ subscription, ...wish }, ann, {})));
  expect(devices.listOf(ann)).toMatchObject([{ name: 'Phone', detail: 'subject', quiet }]);
  expect(await store.list()).toMatchObject([{ name: 'Phone', detail: 'subject', quiet }]);
});
