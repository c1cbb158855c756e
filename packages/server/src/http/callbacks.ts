import { findCall, isRecord, type Json, limits, RefusalError, redacted, type Store } from '@parleyhq/core';
import { findMismatch } from '@parleyhq/core/schemas';
import {
  type CallbackRecord,
  type CallbackWait,
  callbackKeys,
  LimitError,
  makeValidator,
  type Secrets,
  type SessionHub,
  type SessionWriter,
  type WaitRecord,
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

/**
 * Ends the wait with the posted value. A value that contains a secret is passed to the waiting handler but not recorded (INT17).
 * @throws RefusalError `closed` if the callback has ended
 */
export async function settleCallback(
  session: SessionWriter,
  { toolCallId, key }: CallbackWait,
  value: Json,
  { secrets }: Pick<CallbackRoutes, 'secrets'>,
): Promise<void> {
  const came = { toolCallId, key: callbackKeys.posted(key), value };
  const isSecret = secrets.occursIn(value);
  const records = [isSecret ? { ...came, value: redacted } : came];
  const beside = isSecret ? { posted: came } : {};
  await session.perform({ type: 'settle_callback', toolCallId, key, outcome: 'received' }, { records, ...beside });
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

/**
 * Reads the records of a callback that may still be called. While a wait is open, the callback may be called even after `until`:
 * the wait's own timer ends it, and a restart extends that timer (INT10).
 * @throws RefusalError `closed` if the callback has ended
 */
export async function readCallback(
  session: SessionWriter,
  { toolCallId, key }: CallbackWait,
  { index, now }: Pick<CallbackRoutes, 'index' | 'now'>,
): Promise<{ readonly opened: CallbackRecord; readonly wait: WaitRecord | undefined }> {
  await session.missed.read();
  const call = findCall(session.head, toolCallId);
  if (!call || call.callbacks?.some((settled) => settled.key === key)) throw new RefusalError('closed');
  const records = new Map((await index.records(session.id, toolCallId)).map(({ key, value }) => [key, value]));
  const opened = records.get(callbackKeys.opened(key));
  const wait = records.get(callbackKeys.wait(key)) as WaitRecord | undefined;
  if (!isRecord(opened)) throw new RefusalError('closed');
  const { until } = opened as CallbackRecord;
  if (until !== undefined && until <= now() && !wait) throw new RefusalError('closed');
  return { opened: opened as CallbackRecord, wait };
}

/** Reads the posted value: null if there is no body. */
async function readPosted(context: Context<Env>): Promise<unknown> {
  const isEmpty = context.req.header('content-length') === '0' || isWithoutBody(context);
  return isEmpty ? null : readJson(context, limits.frameBytes);
}

function isWithoutBody(context: Context<Env>): boolean {
  return context.req.header('content-length') === undefined && context.req.header('transfer-encoding') === undefined;
}
