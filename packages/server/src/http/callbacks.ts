import { type Json, limits, RefusalError, type Store } from '@parleyhq/core';
import { findMismatch } from '@parleyhq/core/schemas';
import {
  type CallbackRecord,
  type CallbackWait,
  LimitError,
  makeValidator,
  readCallback,
  type Secrets,
  type SessionHub,
  settleCallback,
} from '@parleyhq/runtime';
import type { Context, Hono } from 'hono';
import type { Logger } from 'pino';
import * as z from 'zod';
import type { Tickets } from '../auth/ticket.ts';
import { callbackPath } from '../extensions/programs/callback-addresses.ts';
import type { Metrics } from '../extensions/telemetry/metrics.ts';
import { type Entry, readJson } from './frame-request.ts';
import { OpenPace } from './open-pace.ts';
import { describe, json } from './operation.ts';
import { refuse } from './refusal.ts';
import type { Env } from './request.ts';

export interface CallbackRoutes extends Pick<Entry, 'onAdmitted'> {
  readonly tickets: Pick<Tickets, 'read'>;
  readonly hub: SessionHub;
  readonly index: Store['index'];
  readonly now: () => number;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Secrets that people typed: a tool may have passed one on to the program that posts (INT17). */
  readonly secrets: Secrets;
}

const over = 'This callback has ended: it was called before, its call has ended, or it has expired.';

/**
 * Lets external programs end a wait of a call, once (PLG11). Nothing but the address of an unauthenticated request is read
 * (SEC11).
 */
export function serveCallbacks(app: Hono<Env>, routes: CallbackRoutes): void {
  const pace = new OpenPace(routes.now);
  const aboutCallback = describe({
    summary: 'Ends the wait of a tool that handed out this address, once.',
    ...{ group: 'Programs outside', isOpen: true, body: z.unknown(), example: { paid: true } },
    responses: { 200: json('The value is stored.', z.object({ ok: z.literal(true) }), { ok: true }) },
    refusals: {
      400: 'The tool waits for something else, and keeps waiting.',
      404: 'No such callback was ever handed out.',
      410: 'The callback was called before, its call has ended, or it has expired.',
    },
  });
  app.post(`${callbackPath}:token`, aboutCallback, async (context) => {
    const place = routes.tickets.read('callback', context.req.param('token'));
    if (!place) return refuse(context, 404, 'not_found', 'There is no such callback.');
    pace.take([place.sessionId, place.toolCallId, place.key]);
    try {
      await take(context, place, routes);
    } catch (error) {
      const isOver = error instanceof RefusalError && (error.code === 'closed' || error.code === 'not_found');
      if (isOver) return refuse(context, 410, 'closed', over);
      throw error;
    }
    return context.json({ ok: true });
  });
}

/**
 * @throws RefusalError `closed` or `not_found` if the callback has ended; `invalid` if its author's schema does not accept the
 * value
 */
async function take(context: Context<Env>, place: CallbackWait, routes: CallbackRoutes): Promise<void> {
  const { session } = await routes.hub.open(place.sessionId);
  const { schema } = (await readCallback(session, place, routes)).opened;
  routes.onAdmitted(context.env.incoming.socket); // not earlier: the address of an ended callback admits nobody
  const value = (await readPosted(context)) as Json;
  const misfit = await findBounded(schema, value, routes.metrics);
  if (misfit !== undefined) {
    const { sessionId, toolCallId, key } = place;
    routes.log.warn({ sessionId, toolCallId, key, misfit }, 'a callback was refused: its call keeps waiting');
    throw new RefusalError('invalid', { message: `The call waits for something else: ${misfit}.` });
  }
  await settleCallback(session, place, value, routes);
}

/** Like `findMisfit`, but bounded in time: the value is from an unauthenticated client and must not block the server (SEC6). */
async function findBounded(schema: CallbackRecord['schema'], value: Json, metrics: Metrics) {
  try {
    return await findMismatch(schema, value, makeValidator);
  } catch (error) {
    if (!(error instanceof LimitError)) throw error;
    metrics.reached(error.limit);
    return 'it took too long to check';
  }
}

/** Reads the posted value: null if there is no body. */
async function readPosted(context: Context<Env>): Promise<unknown> {
  const isEmpty = context.req.header('content-length') === '0' || isWithoutBody(context);
  return isEmpty ? null : readJson(context, limits.frameBytes);
}

function isWithoutBody(context: Context<Env>): boolean {
  return context.req.header('content-length') === undefined && context.req.header('transfer-encoding') === undefined;
}
