import { ECDH } from 'node:crypto';
import {
  deliveryStates,
  includesRole,
  notificationDetails,
  pushSubscriptionSchema,
  quietHoursSchema,
  RefusalError,
} from '@parleyhq/core';
import { newId } from '@parleyhq/runtime';
import type { Hono } from 'hono';
import * as z from 'zod';
import { answer } from '../connection/answer.ts';
import type { Services } from '../connection/services.ts';
import { makeTestNotification } from '../extensions/notifications/make-notification.ts';
import type { NotificationService } from '../extensions/notifications/notification-service.ts';
import { takenSchema } from './answers.ts';
import { badRequest, type Entry, enter, parse, readBody } from './frame-request.ts';
import { describe, json, nothing } from './operation.ts';
import type { Env } from './request.ts';

export interface PushRoutes extends Entry, Pick<Services, 'hub' | 'voters' | 'stepUp' | 'files'> {
  readonly notifications: NotificationService;
}

/** Requires a key that is a point of the curve, because nothing can be encrypted for another (RFC 8291). */
const subscriptionSchema = z
  .object(pushSubscriptionSchema.shape)
  .refine(({ keys }) => isPoint(keys.p256dh), { path: ['keys', 'p256dh'], error: 'must be a point of P-256' });

const wishSchema = z.strictObject({
  subscription: subscriptionSchema,
  name: z.string().min(1).max(100).optional(),
  detail: z.enum(notificationDetails).optional(),
  quiet: z.strictObject(quietHoursSchema.shape).nullable().optional(),
});
const pressSchema = z.strictObject({ token: z.string().max(4000), action: z.enum(['approve', 'deny']) });
const idSchema = z.strictObject({ id: z.string().max(200) });
const notifierTestSchema = z.strictObject({ name: z.string().max(200), to: z.string().max(200).optional() });
const whichSchema = z.union([idSchema, z.strictObject({ endpoint: z.string().max(2000) })]);

const deviceSchema = z.object({
  id: z.string(),
  createdAt: z.string(),
  name: z.string(),
  detail: z.enum(notificationDetails),
  quiet: z.object(quietHoursSchema.shape).optional(),
});
const phone = { id: 'd-1', createdAt: '2026-03-01T12:00:00.000Z', name: 'Phone', detail: 'none' };

const deliverySchema = z.object({
  interactionId: z.string(),
  sessionId: z.string(),
  target: z.string(),
  principal: z.string(),
  state: z.enum(deliveryStates),
  attempts: z.int(),
  at: z.string(),
  code: z.string().optional(),
  fault: z.string().optional(),
});

const testResultSchema = z.object({
  target: z.string(),
  principal: z.string(),
  name: z.string().optional(),
  isTold: z.boolean(),
  code: z.string().optional(),
  fault: z.string().optional(),
});

const group = 'Notifications';

function isPoint(key: string): boolean {
  try {
    return ECDH.convertKey(key, 'prime256v1', 'base64url').length > 0;
  } catch {
    return false;
  }
}

/** Serves the subscriptions of browsers to notifications, and the buttons of notifications (NTF2, NTF4). */
export function servePush(app: Hono<Env>, routes: PushRoutes): void {
  const aboutKey = describe({
    ...{ group, summary: 'The key with which a browser subscribes to push messages.' },
    responses: { 200: json('In base64url.', z.object({ key: z.string() })) },
  });
  app.get('/api/push/key', aboutKey, async (context) => {
    await enter(context, routes, { as: 'person' });
    return context.json({ key: routes.notifications.publicKey });
  });

  const aboutDevices = describe({
    ...{ group, summary: 'One’s own browsers that receive notifications.' },
    responses: {
      200: json('Oldest first.', z.object({ subscriptions: z.array(deviceSchema) }), { subscriptions: [phone] }),
    },
  });
  app.get('/api/push/subscriptions', aboutDevices, async (context) => {
    const { principal } = await enter(context, routes, { as: 'person' });
    return context.json({ subscriptions: routes.notifications.devices.listOf(principal) });
  });

  const browser = { endpoint: 'https://push.example.org/1', keys: { p256dh: 'B'.repeat(87), auth: 'A'.repeat(22) } };
  const aboutWish = describe({
    summary: 'Adds a browser, or changes what it wants.',
    ...{ group, body: wishSchema, example: { subscription: browser, name: 'Phone', detail: 'title' } },
    responses: {
      200: json('The updated subscription.', z.object({ subscription: deviceSchema }), { subscription: phone }),
    },
  });
  app.post('/api/push/subscriptions', aboutWish, async (context) => {
    const { principal, credential } = await enter(context, routes, { as: 'person' });
    if (!includesRole(principal.role, 'responder')) throw new RefusalError('forbidden'); // it could not answer anything
    const wish = parse(wishSchema, await readBody(context));
    return context.json({ subscription: await routes.notifications.devices.put(wish, principal, credential ?? {}) });
  });

  const aboutRemoval = describe({
    summary: 'Forgets a browser.',
    ...{ group, body: whichSchema, example: { id: 'd-1' }, responses: nothing },
  });
  app.delete('/api/push/subscriptions', aboutRemoval, async (context) => {
    const { principal } = await enter(context, routes, { as: 'person' });
    const which = parse(whichSchema, await readBody(context));
    await routes.notifications.devices.remove('id' in which ? which.id : which.endpoint, principal);
    return context.body(null, 204);
  });

  const aboutTest = describe({
    summary: 'Sends a browser a message, to see that it arrives.',
    ...{ group, body: idSchema, example: { id: 'd-1' }, responses: nothing },
  });
  app.post('/api/push/test', aboutTest, async (context) => {
    const { principal } = await enter(context, routes, { as: 'person' });
    const { id } = parse(idSchema, await readBody(context));
    const target = routes.notifications.devices.find(id);
    if (target?.principal.id !== principal.id) throw new RefusalError('not_found');
    await routes.notifications.test(
      target,
      makeTestNotification(principal, { id: newId(), baseUrl: routes.notifications.baseUrl() }),
    );
    return context.body(null, 204);
  });

  const ann = { target: 'webhook:3f9a1c20b7de', principal: '3f9a1c20b7de', name: 'ann', isTold: true };
  const aboutNotifierTest = describe({
    summary:
      'Sends a test notification to the recipients of a notifier, or to one of them; for operators of all sessions.',
    ...{ group, body: notifierTestSchema, example: { name: 'webhook', to: 'ann' } },
    responses: {
      200: json(
        'The result for each recipient.',
        z.object({ results: z.array(testResultSchema), absent: z.array(z.string()) }),
        { results: [ann], absent: [] },
      ),
    },
  });
  app.post('/api/notifiers/test', aboutNotifierTest, async (context) => {
    const { principal } = await enter(context, routes, { as: 'person' });
    if (principal.role !== 'operator' || principal.sessions) throw new RefusalError('forbidden');
    const { name, to } = parse(notifierTestSchema, await readBody(context));
    return context.json(await routes.notifications.testNotifier(name, to));
  });

  const aboutDeliveries = describe({
    summary: 'Notifications about prompts that were sent to people.',
    ...{ group, query: z.object({ limit: z.coerce.number().int().min(1).max(1000).optional() }) },
    responses: {
      200: json(
        'Newest first: one’s own; all of them for operators of all sessions.',
        z.object({ deliveries: z.array(deliverySchema) }),
        { deliveries: [] },
      ),
    },
  });
  app.get('/api/deliveries', aboutDeliveries, async (context) => {
    const { principal } = await enter(context, routes, { as: 'person' });
    const limit = Number(context.req.query('limit') ?? 100);
    if (!Number.isInteger(limit) || limit < 1 || limit > 1000) throw badRequest('limit: a number from 1 to 1000');
    const isAll = principal.role === 'operator' && principal.sessions === undefined;
    return context.json({ deliveries: await routes.notifications.deliveries(isAll ? undefined : principal.id, limit) });
  });

  const aboutPress = describe({
    summary: 'Answers a prompt with the button of a notification.',
    ...{ group, isOpen: true, body: pressSchema, example: { token: '…', action: 'deny' } },
    responses: { 200: json('The answer is stored, now or before.', takenSchema, { ok: true, seq: 12 }) },
  });
  app.post('/api/push/answer', aboutPress, async (context) => {
    const { token, action } = parse(pressSchema, await readBody(context));
    const { button, client } = await routes.notifications.press(token, action);
    routes.quotas.pace(client.principal);
    const runtime = await routes.hub.openFor(client.principal, button.sessionId);
    runtime.session.requireLife();
    const reply = await answer(
      { runtime, client: { ...client, isEnabled: true }, services: routes },
      {
        type: 'tool_interaction_response',
        sessionId: button.sessionId,
        callId: button.toolCallId,
        interactionId: button.interactionId,
        digest: button.digest,
        answerId: `push-${button.ticketId}`, // the same press again gets the stored reply
        action,
        ...(action === 'approve' && { approvalScope: 'once' }),
      },
    );
    return context.json({ ok: true, ...reply });
  });
}
