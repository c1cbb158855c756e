import { deliveryStates, notificationDetails, quietHoursSchema } from '@parleyhq/core';
import * as z from 'zod';
import { onceSchema } from './once.ts';
import type { Operation } from './openapi.ts';
import { idSchema, notifierTestSchema, pressSchema, whichSchema, wishSchema } from './push.ts';

const group = 'Notifications';
const nothing = { 204: { description: 'Done.' } };

const device = z.object({
  id: z.string(),
  createdAt: z.string(),
  name: z.string(),
  detail: z.enum(notificationDetails),
  quiet: z.object(quietHoursSchema.shape).optional(),
});

const delivery = z.object({
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

/** Reply to an answer; with `vote` and `votes` it is one vote of several, and decides nothing yet. */
const taken = z.object({
  ok: z.literal(true),
  seq: z.int(),
  vote: z.literal(true).optional(),
  votes: z.object({ approve: z.int(), deny: z.int() }).optional(),
});

const testResult = z.object({
  target: z.string(),
  principal: z.string(),
  name: z.string().optional(),
  isTold: z.boolean(),
  code: z.string().optional(),
  fault: z.string().optional(),
});

const opened = z.object({
  sessionId: z.string(),
  sessionTitle: z.string(),
  principal: z.object({ id: z.string(), role: z.string(), name: z.string().optional(), owner: z.string().optional() }),
  interaction: z.looseObject({ interactionId: z.string() }),
  timestamp: z.string(),
  now: z.number(),
});

const browser = { endpoint: 'https://push.example.org/1', keys: { p256dh: 'B'.repeat(87), auth: 'A'.repeat(22) } };
const phone = { id: 'd-1', createdAt: '2026-03-01T12:00:00.000Z', name: 'Phone', detail: 'none' };

/** Routes for notifications, as OpenAPI describes them. */
export const pushOperations: Record<string, Operation> = {
  'GET /api/push/key': {
    summary: 'The key with which a browser subscribes to push messages.',
    group,
    responses: { 200: { description: 'In base64url.', schema: z.object({ key: z.string() }) } },
  },
  'GET /api/push/subscriptions': {
    summary: 'One’s own browsers that receive notifications.',
    group,
    responses: {
      200: {
        description: 'Oldest first.',
        schema: z.object({ subscriptions: z.array(device) }),
        example: { subscriptions: [phone] },
      },
    },
  },
  'POST /api/push/subscriptions': {
    summary: 'Adds a browser, or changes what it wants.',
    ...{ group, body: wishSchema, example: { subscription: browser, name: 'Phone', detail: 'title' } },
    responses: {
      200: {
        description: 'The updated subscription.',
        schema: z.object({ subscription: device }),
        example: { subscription: phone },
      },
    },
  },
  'DELETE /api/push/subscriptions': {
    summary: 'Forgets a browser.',
    ...{ group, body: whichSchema, example: { id: 'd-1' }, responses: nothing },
  },
  'POST /api/push/test': {
    summary: 'Sends a browser a message, to see that it arrives.',
    ...{ group, body: idSchema, example: { id: 'd-1' }, responses: nothing },
  },
  'POST /api/push/answer': {
    summary: 'Answers a prompt with the button of a notification.',
    ...{ group, isOpen: true, body: pressSchema, example: { token: '…', action: 'deny' } },
    responses: {
      200: {
        description: 'The answer is stored, now or before.',
        schema: taken,
        example: { ok: true, seq: 12 },
      },
    },
  },
  'POST /api/notifiers/test': {
    summary:
      'Sends a test notification to the recipients of a notifier, or to one of them; for operators of all sessions.',
    ...{ group, body: notifierTestSchema, example: { name: 'webhook', to: 'ann' } },
    responses: {
      200: {
        description: 'The result for each recipient.',
        schema: z.object({ results: z.array(testResult), absent: z.array(z.string()) }),
        example: {
          results: [{ target: 'webhook:3f9a1c20b7de', principal: '3f9a1c20b7de', name: 'ann', isTold: true }],
          absent: [],
        },
      },
    },
  },
  'POST /api/once': {
    summary: 'Opens the prompt of a one-time link, whose key is in the header Parley-Key; it answers nothing.',
    ...{ group, isOpen: true },
    responses: { 200: { description: 'The prompt, and the person the link is for.', schema: opened } },
  },
  'POST /api/once/answer': {
    summary: 'Answers the prompt of a one-time link, once; its key is in the header Parley-Key.',
    ...{ group, isOpen: true, body: onceSchema, example: { action: 'deny' } },
    responses: {
      200: {
        description: 'The answer is stored, now or before.',
        schema: taken,
        example: { ok: true, seq: 12 },
      },
    },
  },
  'GET /api/deliveries': {
    summary: 'Notifications about prompts that were sent to people.',
    ...{ group, query: z.object({ limit: z.coerce.number().int().min(1).max(1000).optional() }) },
    responses: {
      200: {
        description: 'Newest first: one’s own; all of them for operators of all sessions.',
        schema: z.object({ deliveries: z.array(delivery) }),
        example: { deliveries: [] },
      },
    },
  },
};
