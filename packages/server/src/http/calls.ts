import type { Socket } from 'node:net';
import { clientFrameSchema, isRecord, limits, type OutsideCall, type Principal, RefusalError } from '@parleyhq/core';
import type { Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Admission } from '../auth/auth.ts';
import type { QuotaBook } from '../auth/quota-book.ts';
import type { SessionHub } from '../hub/hub.ts';
import { isTooDeep } from '../node/json-depth.ts';
import { newId } from '../node/new-id.ts';
import type { CallResults } from '../outside/call-results.ts';
import type { CallingClient, OutsideCalls } from '../outside/outside-calls.ts';
import type { Inbox } from '../tabs/inbox.ts';
import { isJson, refuse } from './refusal.ts';
import type { Env } from './request.ts';

export interface CallRoutes {
  readonly hub: SessionHub;
  readonly inbox: Inbox;
  readonly outside: OutsideCalls;
  readonly results: CallResults;
  readonly quotas: QuotaBook;
  /** Whom a request's token or cookie lets in, as a program or as a person. */
  admit(context: Context<Env>, as: 'program' | 'person'): Promise<Admission | undefined>;
  /** Its socket is not a stranger's any more (SEC11). */
  readonly onAdmitted: (socket: Socket) => void;
  /** Aborts when the server stops: who waits is told that the call is still open. */
  readonly stopping: AbortSignal;
}

/** The longest wait of one request, in s. */
const maxWaitSeconds = 60;

const limitBody = bodyLimit({
  maxSize: limits.frameBytes,
  onError: (context) => refuse(context, 413, 'bad_frame', `A call has at most ${limits.frameBytes} bytes.`),
});

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

  app.post('/api/calls', limitBody, async (context) => {
    const client = await enter(context, routes);
    readWait(context); // a wait that cannot be is refused before anything begins
    return tell(context, client.principal, await outside.call(client, await readCall(context)));
  });
  app.get('/api/calls/:toolCallId', async (context) => {
    const { principal } = await enter(context, routes);
    return tell(context, principal, await outside.findLasting(principal, context.req.param('toolCallId')));
  });
  app.delete('/api/calls/:toolCallId', async (context) => {
    const client = await enter(context, routes);
    const { sessionId, toolCallId } = await outside.find(client.principal, context.req.param('toolCallId'));
    const { session } = await hub.openFor(client.principal, sessionId);
    return context.json(await outside.withdraw(client, session, { toolCallId, note: context.req.query('note') }));
  });
  app.get('/api/interactions', async (context) => {
    const { principal } = await enter(context, routes, 'person');
    if (principal.role === 'asker') throw new RefusalError('forbidden');
    const { before, limit } = readQuery(context, 'list_open');
    return context.json({ open: inbox.page(principal, { before, limit }), openTotal: inbox.count(principal) });
  });
}

/** @throws RefusalError `unauthorised` */
export async function enter(
  context: Context<Env>,
  { admit, onAdmitted }: Pick<CallRoutes, 'admit' | 'onAdmitted'>,
  as: 'program' | 'person' = 'program',
): Promise<CallingClient> {
  const admission = await admit(context, as);
  if (!admission) throw new RefusalError('unauthorised');
  onAdmitted(context.env.incoming.socket);
  const { principal, credential } = admission;
  const id = newId(); // a request is a connection of its own
  const actor = { clientId: id, connectionId: id, ...namesOf(principal), transport: 'http', role: principal.role };
  const userAgent = context.req.header('user-agent')?.slice(0, 200);
  const address = context.env.incoming.socket.remoteAddress ?? '';
  return {
    principal,
    credential,
    actor,
    witness: { ...actor, address, ...(userAgent !== undefined && { userAgent }) },
  };
}

function namesOf({ id, name, owner }: Principal) {
  return { principal: id, ...(name !== undefined && { name }), ...(owner !== undefined && { owner }) };
}

/** @throws RefusalError `bad_frame` */
async function readCall(context: Context<Env>) {
  return parse('call_tool', { args: {}, callId: newId(), ...(await readObject(context)) });
}

/** The JSON object that a request brings. @throws RefusalError `bad_frame` */
export async function readObject(context: Context<Env>): Promise<Record<string, unknown>> {
  if (!isJson(context)) throw badRequest('its Content-Type is not application/json');
  const text = await context.req.text();
  if (isTooDeep(text, limits.jsonDepth)) throw badRequest('it is nested too deeply');
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw badRequest('it is not JSON');
  }
  if (!isRecord(body)) throw badRequest('it is not an object');
  return body;
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

export function badRequest(problem: string): RefusalError {
  return new RefusalError('bad_frame', { message: `This is no request that Parley knows: ${problem}.` });
}

/** In seconds. @throws RefusalError `bad_frame` */
function readWait(context: Context<Env>): number {
  const text = context.req.query('wait') ?? '0';
  const seconds = Number(text);
  const isFit = /^\d+(\.\d+)?$/.test(text) && seconds <= maxWaitSeconds;
  if (!isFit) throw badRequest(`wait: a number of seconds from 0 to ${maxWaitSeconds}`);
  return seconds;
}
