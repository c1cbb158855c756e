import { type OutsideCall, type Principal, RefusalError } from '@parleyhq/core';
import type { Context, Hono } from 'hono';
import type { QuotaBook } from '../auth/quota-book.ts';
import type { SessionHub } from '../hub/hub.ts';
import { newId } from '../node/new-id.ts';
import type { CallResults } from '../outside/call-results.ts';
import type { OutsideCalls } from '../outside/outside-calls.ts';
import type { Inbox } from '../tabs/inbox.ts';
import { badRequest, type Entry, enter, limitFrame, parseFrame, readBody } from './frame-request.ts';
import type { Env } from './request.ts';

export interface CallRoutes extends Entry {
  readonly hub: SessionHub;
  readonly inbox: Inbox;
  readonly outside: OutsideCalls;
  readonly results: CallResults;
  readonly quotas: QuotaBook;
  /** Aborts when the server stops: who waits is told that the call is still open. */
  readonly stopping: AbortSignal;
}

/** The longest wait of one request, in s. */
const maxWaitSeconds = 60;

/** Calls and questions of programs outside, by plain HTTP (ASK8). */
export function serveCalls(app: Hono<Env>, routes: CallRoutes): void {
  const { hub, inbox, outside, results, quotas } = routes;

  /** What became of a call, at once or within the time that the request waits. */
  const tell = async (context: Context<Env>, principal: Principal, call: OutsideCall): Promise<Response> => {
    const { sessionId, toolCallId } = call;
    const over = new AbortController();
    const limit = AbortSignal.timeout(readWait(context) * 1000);
    const ended = AbortSignal.any([over.signal, limit, routes.stopping, context.req.raw.signal]);
    const told = results.wait(toolCallId, ended); // before looking, so that nothing is missed
    let outcome = await outside.readOutcome(call, principal.id);
    if (!outcome) {
      quotas.enter(principal); // whoever waits is connected (SEC11)
      await told.finally(() => quotas.leave(principal));
      outcome = await outside.readOutcome(call, principal.id);
    }
    over.abort();
    if (outcome) return context.json({ status: 'done', ...outcome, toolCallId, sessionId });
    const url = new URL(`/s/${sessionId}`, context.req.url).href;
    return context.json({ status: 'open', toolCallId, sessionId, url }, 202);
  };

  app.post('/api/calls', limitFrame, async (context) => {
    const client = await enter(context, routes, 'program');
    readWait(context); // a wait that cannot be is refused before anything begins
    const call = parseFrame('call_tool', { args: {}, callId: newId(), ...(await readBody(context)) });
    return tell(context, client.principal, await outside.call(client, call));
  });
  app.get('/api/calls/:toolCallId', async (context) => {
    const { principal } = await enter(context, routes, 'program');
    return tell(context, principal, await outside.findLasting(principal, context.req.param('toolCallId')));
  });
  app.delete('/api/calls/:toolCallId', async (context) => {
    const client = await enter(context, routes, 'program');
    const { sessionId, toolCallId } = await outside.find(client.principal, context.req.param('toolCallId'));
    const { session } = await hub.openFor(client.principal, sessionId);
    return context.json(await outside.withdraw(client, session, { toolCallId, note: context.req.query('note') }));
  });
  app.get('/api/interactions', async (context) => {
    const { principal } = await enter(context, routes, 'person');
    if (principal.role === 'asker') throw new RefusalError('forbidden');
    const { before, limit } = context.req.query();
    const page = parseFrame('list_open', { before, ...(limit !== undefined && { limit: Number(limit) }) });
    return context.json({ open: inbox.page(principal, page), openTotal: inbox.count(principal) });
  });
}

/** In seconds. @throws RefusalError `bad_frame` */
function readWait(context: Context<Env>): number {
  const text = context.req.query('wait') ?? '0';
  const seconds = Number(text);
  const isFit = /^\d+(\.\d+)?$/.test(text) && seconds <= maxWaitSeconds;
  if (!isFit) throw badRequest(`wait: a number of seconds from 0 to ${maxWaitSeconds}`);
  return seconds;
}
