import { ECDH } from 'node:crypto';
import {
  includesRole,
  notificationDetails,
  pushSubscriptionSchema,
  quietHoursSchema,
  RefusalError,
} from '@parleyhq/core';
import type { Hono } from 'hono';
import * as z from 'zod';
import { answer } from '../connection/answer.ts';
import type { Services } from '../connection/services.ts';
import { makeTestNotification } from '../extensions/notifications/make-notification.ts';
import type { NotificationService } from '../extensions/notifications/notification-service.ts';
import { newId } from '../runtime/node/new-id.ts';
import { badRequest, type Entry, enter, parse, readBody } from './frame-request.ts';
import type { Env } from './request.ts';

export interface PushRoutes extends Entry {
  readonly services: Pick<Services, 'hub' | 'quotas' | 'voters' | 'files'>;
  readonly notifications: NotificationService;
}

/** Requires a key that is a point of the curve, because nothing can be encrypted for another (RFC 8291). */
const subscriptionSchema = z
  .object(pushSubscriptionSchema.shape)
  .refine(({ keys }) => isPoint(keys.p256dh), { path: ['keys', 'p256dh'], error: 'must be a point of P-256' });

export const wishSchema = z.strictObject({
  subscription: subscriptionSchema,
  name: z.string().min(1).max(100).optional(),
  detail: z.enum(notificationDetails).optional(),
  quiet: z.strictObject(quietHoursSchema.shape).nullable().optional(),
});
export const pressSchema = z.strictObject({ token: z.string().max(4000), action: z.enum(['approve', 'deny']) });
export const idSchema = z.strictObject({ id: z.string().max(200) });
export const notifierTestSchema = z.strictObject({ name: z.string().max(200), to: z.string().max(200).optional() });
export const whichSchema = z.union([idSchema, z.strictObject({ endpoint: z.string().max(2000) })]);

function isPoint(key: string): boolean {
  try {
    return ECDH.convertKey(key, 'prime256v1', 'base64url').length > 0;
  } catch {
    return false;
  }
}

/** Serves the subscriptions of browsers to notifications, and the buttons of notifications (NTF2, NTF4). */
export function servePush(app: Hono<Env>, routes: PushRoutes): void {
  app.get('/api/push/key', async (context) => {
    await enter(context, routes, { as: 'person' });
    return context.json({ key: routes.notifications.publicKey });
  });
  app.get('/api/push/subscriptions', async (context) => {
    const { principal } = await enter(context, routes, { as: 'person' });
    return context.json({ subscriptions: routes.notifications.devices.listOf(principal) });
  });
  app.post('/api/push/subscriptions', async (context) => {
    const { principal, credential } = await enter(context, routes, { as: 'person' });
    if (!includesRole(principal.role, 'responder')) throw new RefusalError('forbidden'); // it could not answer anything
    const wish = parse(wishSchema, await readBody(context));
    return context.json({ subscription: await routes.notifications.devices.put(wish, principal, credential ?? {}) });
  });
  app.delete('/api/push/subscriptions', async (context) => {
    const { principal } = await enter(context, routes, { as: 'person' });
    const which = parse(whichSchema, await readBody(context));
    await routes.notifications.devices.remove('id' in which ? which.id : which.endpoint, principal);
    return context.body(null, 204);
  });
  app.post('/api/push/test', async (context) => {
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
  app.post('/api/notifiers/test', async (context) => {
    const { principal } = await enter(context, routes, { as: 'person' });
    if (principal.role !== 'operator' || principal.sessions) throw new RefusalError('forbidden');
    const { name, to } = parse(notifierTestSchema, await readBody(context));
    return context.json(await routes.notifications.testNotifier(name, to));
  });
  app.get('/api/deliveries', async (context) => {
    const { principal } = await enter(context, routes, { as: 'person' });
    const limit = Number(context.req.query('limit') ?? 100);
    if (!Number.isInteger(limit) || limit < 1 || limit > 1000) throw badRequest('limit: a number from 1 to 1000');
    const isAll = principal.role === 'operator' && principal.sessions === undefined;
    return context.json({ deliveries: await routes.notifications.deliveries(isAll ? undefined : principal.id, limit) });
  });
  app.post('/api/push/answer', async (context) => {
    const { token, action } = parse(pressSchema, await readBody(context));
    const { button, client } = await routes.notifications.press(token, action);
    routes.pace(client.principal);
    const runtime = await routes.services.hub.openFor(client.principal, button.sessionId);
    runtime.session.requireLife();
    const reply = await answer(
      { runtime, client: { ...client, isEnabled: true }, services: routes.services },
      {
        type: 'tool_interaction_response',
        sessionId: button.sessionId,
        callId: button.toolCallId,
        interactionId: button.interactionId,
        digest: button.digest,
        answerId: button.answerId,
        action,
        ...(action === 'approve' && { approvalScope: 'once' }),
      },
    );
    return context.json({ ok: true, ...reply });
  });
}
