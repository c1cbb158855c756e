import { clientFrameSchema, isRecord, type OutsideCall, RefusalError } from '@parleyhq/core';
import type { Context, Hono } from 'hono';
import type { SessionHub } from '../hub/hub.ts';
import { newId } from '../node/new-id.ts';
import type { CallWaits } from '../outside/call-waits.ts';
import type { CallingClient, OutsideCalls } from '../outside/outside-calls.ts';
import type { Inbox } from '../tabs/inbox.ts';
import { badRequest, enter, limitCall, type ProgramDoor, readJson } from './calling-client.ts';
import type { Env } from './request.ts';

export interface CallRoutes extends ProgramDoor {
  readonly hub: SessionHub;
  readonly inbox: Inbox;
  readonly outside: OutsideCalls;
  readonly waits: CallWaits;
  /** Aborts when the server stops: who waits is told that the call is still open. */
  readonly stopping: AbortSignal;
}

/** The longest wait of one request, in s. */
const maxWaitSeconds = 60;

/** Calls and questions of programs outside, by plain HTTP (ASK8). */
export function serveCalls(app: Hono<Env>, routes: CallRoutes): void {
  const { hub, inbox, outside, waits } = routes;

  /** What became of a call, at once or within the time that the request waits. */
  const tell = async (context: Context<Env>, client: CallingClient, call: OutsideCall): Promise<Response> => {
    const { sessionId, toolCallId } = call;
    const limit = AbortSignal.timeout(readWait(context) * 1000);
    const reader = client.principal.id;
    const wait = (ended: AbortSignal) =>
      waits.outcomeOf(call, AbortSignal.any([ended, limit, routes.stopping, context.req.raw.signal]), reader);
    const outcome = (await outside.readOutcome(call, reader)) ?? (await waits.hold(client, wait));
    if (outcome) return context.json({ status: 'done', ...outcome, toolCallId, sessionId });
    const url = new URL(`/s/${sessionId}`, context.req.url).href;
    return context.json({ status: 'open', toolCallId, sessionId, url }, 202);
  };

  app.post('/api/calls', limitCall, async (context) => {
    const client = await enter(context, routes);
    readWait(context); // a wait that cannot be is refused before anything begins
    return tell(context, client, await outside.call(client, await readCall(context)));
  });
  app.get('/api/calls/:toolCallId', async (context) => {
    const client = await enter(context, routes);
    return tell(context, client, await outside.find(client.principal, context.req.param('toolCallId')));
  });
  app.delete('/api/calls/:toolCallId', async (context) => {
    const client = await enter(context, routes);
    const { sessionId, toolCallId } = await outside.find(client.principal, context.req.param('toolCallId'));
    const { session } = await hub.openFor(client.principal, sessionId);
    return context.json(await outside.withdraw(client, session, { toolCallId, note: context.req.query('note') }));
  });
  app.get('/api/interactions', async (context) => {
    const { principal } = await enter(context, routes, { as: 'person' });
    if (principal.role === 'asker') throw new RefusalError('forbidden');
    const { before, limit } = readQuery(context, 'list_open');
    return context.json({ open: inbox.page(principal, { before, limit }), openTotal: inbox.count(principal) });
  });
}

/** @throws RefusalError `bad_frame` */
async function readCall(context: Context<Env>) {
  const body = await readJson(context);
  if (!isRecord(body)) throw badRequest('it is not an object');
  return parse('call_tool', { args: {}, callId: newId(), ...body });
}

/** @throws RefusalError `bad_frame` */
function readQuery(context: Context<Env>, type: 'list_open') {
  const { before, limit } = context.req.query();
  return parse(type, {
    ...(before !== undefined && { before }),
    ...(limit !== undefined && { limit: Number(limit) }),
  });
}

/** A request means what the frame of the same name means. */
function parse<Type extends 'call_tool' | 'list_open'>(type: Type, members: object) {
  const parsed = clientFrameSchema.safeParse({ ...members, type });
  if (parsed.success) return parsed.data as Extract<typeof parsed.data, { type: Type }>;
  const [issue] = parsed.error.issues;
  throw badRequest(`${issue?.path.join('.')}: ${issue?.message}`);
}

/** In seconds. @throws RefusalError `bad_frame` */
function readWait(context: Context<Env>): number {
  const text = context.req.query('wait') ?? '0';
  const seconds = Number(text);
  const isFit = /^\d+(\.\d+)?$/.test(text) && seconds <= maxWaitSeconds;
  if (!isFit) throw badRequest(`wait: a number of seconds from 0 to ${maxWaitSeconds}`);
  return seconds;
}
