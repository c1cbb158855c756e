import { type Delivery, definePlugin } from '@parleyhq/core';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { Tickets } from '../../auth/ticket.ts';
import { NotificationService, type NotificationServiceOptions } from './notification-service.ts';
import type { NotifierSettings } from './notifiers.ts';
import { makePushKeys } from './push-keys.ts';

/** A service with a chat, and a store whose notifications are read once `release` is called. */
async function stage(settings: Partial<NotifierSettings> = {}) {
  const listening: AbortSignal[] = [];
  const sweeps: string[] = [];
  let release: () => void = () => undefined;
  let onRead: () => void = () => undefined;
  const isRead = new Promise<void>((resolve) => {
    onRead = resolve;
  });
  const unfinished = () =>
    new Promise<readonly Delivery[]>((resolve) => {
      release = () => resolve([]);
      onRead();
    });
  const chat = {
    name: 'chat',
    notify: () => true,
    listen: (_: unknown, signal: AbortSignal) => {
      listening.push(signal);
      return new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  };
  const list = async () => [];
  const service = new NotificationService({
    settings: { keys: makePushKeys(), notifiers: [{ notifier: 'chat', ...settings }] },
    store: {
      ...{ epoch: 'e', devices: { list }, links: { list }, index: {}, pluginState: {} },
      deliveries: { unfinished, ofPrompts: list, put: list, list },
    },
    auth: { findPeople: async () => new Map() },
    deskOf: () => ({}),
    tickets: new Tickets('secret', 'e'),
    plugins: [definePlugin({ name: 'chat', tools: [], notifiers: [chat] })],
    inbox: { places: [], waitingFor: () => [], isOpen: () => false },
    durations: { notifyAfterMs: 0, tellMs: 1000 },
    ...{ logOf: () => pino({ enabled: false }), keepSecret: () => undefined, hasSecret: () => false, now: Date.now },
    ...{
      stopping: new AbortController().signal,
      mayNotify: () => sweeps.push('sweep') > 0,
      onAttempt: () => undefined,
    },
    log: pino({ enabled: false }),
  } as unknown as NotificationServiceOptions);
  await service.open([]);
  const started = service.start();
  await isRead;
  const finish = async () => {
    release();
    await started;
  };
  return { service, listening, sweeps, finish };
}

test('[CHAT1, OPS4] a node that another one replaces while it starts to notify does not listen', async () => {
  const { service, listening, finish } = await stage();
  service.takeTurns(false);
  await finish();
  expect(listening).toEqual([]);
  await service.stop();
});

test('[CHAT1, OPS3] a server that stops while it starts to notify neither listens nor notifies', async () => {
  const { service, listening, sweeps, finish } = await stage();
  await service.stop();
  await finish();
  await new Promise((resolve) => setTimeout(resolve, 1)); // fires after any timer of the service
  expect([listening, sweeps]).toEqual([[], []]);
});

test('[CHAT1] the node that notifies listens once', async () => {
  const { service, listening, finish } = await stage();
  await finish();
  expect(listening).toHaveLength(1);
  await service.stop();
  expect(listening[0]?.aborted).toBe(true);
});

test('[CHAT1] a chat refuses the setting "detail", which would change nothing', async () => {
  await expect(stage({ detail: 'title' })).rejects.toThrow('"chat" cannot have "detail"');
});
