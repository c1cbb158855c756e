import { findCall, isRecord, type Json, limits, RefusalError, type Store } from '@parleyhq/core';
import { findMisfit } from '@parleyhq/core/schemas';
import type { Context, Hono } from 'hono';
import { type CallbackRecord, callbackKeys } from '../call/callback-records.ts';
import type { SessionHub } from '../hub/hub.ts';
import { type CallbackAddresses, type CallbackPlace, callbackPath } from '../outside/callback-addresses.ts';
import type { LiveSession } from '../session/live-session.ts';
import { type Entry, readJson } from './frame-request.ts';
import { refuse } from './refusal.ts';
import type { Env } from './request.ts';

export interface CallbackRoutes extends Pick<Entry, 'onAdmitted'> {
  readonly addresses: CallbackAddresses;
  readonly hub: SessionHub;
  readonly index: Store['index'];
  readonly now: () => number;
}

/** Longer ones are none of ours. */
const maxTokenLength = 4000;

const over = 'This callback is over: it was called before, or its call has ended, or its time.';

/** Programs outside end a wait of a call, once (PLG11). Of a stranger's request nothing but its address is read (SEC11). */
export function serveCallbacks(app: Hono<Env>, routes: CallbackRoutes): void {
  app.post(`${callbackPath}:token`, async (context) => {
    const token = context.req.param('token');
    const place = token.length > maxTokenLength ? undefined : routes.addresses.read(token);
    if (!place) return refuse(context, 404, 'not_found', 'There is no such callback.');
    routes.onAdmitted(context.env.incoming.socket);
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

/** @throws RefusalError `closed` or `not_found` where it is over; `invalid` for what its author does not take */
async function take(context: Context<Env>, { sessionId, toolCallId, key }: CallbackPlace, routes: CallbackRoutes) {
  const { hub, index, now } = routes;
  const { session } = await hub.open(sessionId);
  const { schema, until } = await readRecord(session, { toolCallId, key }, index);
  if (until !== undefined && until <= now()) throw new RefusalError('closed');
  const value = (await readPosted(context)) as Json;
  const misfit = await findMisfit(schema, value);
  if (misfit !== undefined)
    throw new RefusalError('invalid', { message: `This is not what is waited for: ${misfit}.` });
  const records = [{ toolCallId, key: callbackKeys.posted(key), value }];
  await session.perform({ type: 'settle_callback', toolCallId, key, outcome: 'received' }, { records });
}

async function readRecord(
  session: LiveSession,
  { toolCallId, key }: Pick<CallbackPlace, 'toolCallId' | 'key'>,
  index: CallbackRoutes['index'],
): Promise<CallbackRecord> {
  await session.catchUp();
  const call = findCall(session.head, toolCallId);
  if (!call || call.callbacks?.some((settled) => settled.key === key)) throw new RefusalError('closed');
  const records = await index.records(session.id, toolCallId);
  const record = records.find((candidate) => candidate.key === callbackKeys.opened(key))?.value;
  if (!isRecord(record)) throw new RefusalError('closed');
  return record as CallbackRecord;
}

/** A callback without a body says only that it came. */
async function readPosted(context: Context<Env>): Promise<unknown> {
  const isEmpty = context.req.header('content-length') === '0' || isWithoutBody(context);
  return isEmpty ? null : readJson(context, limits.frameBytes);
}

function isWithoutBody(context: Context<Env>): boolean {
  return context.req.header('content-length') === undefined && context.req.header('transfer-encoding') === undefined;
}
