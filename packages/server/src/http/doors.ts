import { type CallerContext, type DoorContext, limits, type PluginLog, RefusalError, StoreError } from '@parleyhq/core';
import { findEffect, newId, type PlacedDoor, type Policy } from '@parleyhq/runtime';
import type { Context, Hono } from 'hono';
import type { Logger } from 'pino';
import type { CallingClient } from '../extensions/programs/call-request.ts';
import { type Programs, runForCaller } from '../extensions/programs/run-for-caller.ts';
import { readDoorCall } from './door-call.ts';
import { type DoorTime, makeDoorTime } from './door-time.ts';
import { admit, countBody, type Entry, enter, parseJson, readBytes, requireJson } from './frame-request.ts';
import { OpenPace } from './open-pace.ts';
import type { Env } from './request.ts';

export interface DoorRoutes extends Entry {
  readonly doors: readonly PlacedDoor[];
  readonly programs: Programs;
  readonly policies: readonly Policy[];
  readonly now: () => number;
  readonly log: Logger;
  readonly logOf: (plugin: string) => PluginLog;
}

/** A request that was let in, with its body. */
interface Entered {
  readonly context: Context<Env>;
  readonly placed: PlacedDoor;
  readonly body: Buffer<ArrayBuffer>;
  readonly time: DoorTime;
}

const defaultTimeoutMs = 30_000;

/** Interval in ms of probes that detect a peer that vanished without closing its connection. */
const keepAliveMs = 30_000;

/** Serves the doors of plugins. Nothing but its headers is read of a request until its credential was checked (SEC11). */
export function serveDoors(app: Hono<Env>, routes: DoorRoutes): void {
  const pace = new OpenPace(routes.now);
  for (const placed of routes.doors) {
    const { plugin, path, door } = placed;
    const { method, access, maxBytes = limits.frameBytes, timeoutMs = defaultTimeoutMs } = door;

    const receive = async (context: Context<Env>, client?: CallingClient) => {
      const body = await readBytes(context, maxBytes);
      const time = makeDoorTime({ closed: context.req.raw.signal, stopping: routes.programs.stopping, timeoutMs });
      if (timeoutMs === null) context.env.incoming.socket.setKeepAlive(true, keepAliveMs);
      try {
        return await answer({ context, placed, body, time }, routes, client);
      } finally {
        time.stop();
      }
    };

    app.on(method, path, async (context: Context<Env>) => {
      if (access === 'none') {
        const { remoteAddress = '' } = context.env.incoming.socket;
        pace.take([plugin, method, path, remoteAddress], countBody(context, maxBytes));
        return receive(context);
      }
      const client = await enter(context, routes, { as: access, maxBytes, countsAll: true });
      if (access === 'person' && client.principal.role === 'asker') throw new RefusalError('forbidden');
      return receive(context, client);
    });
  }
}

/**
 * Runs the handler until it responds or its time ends.
 * @throws RefusalError that the handler threw; `internal` if it failed, which is logged with the plugin's name (SEC8)
 */
async function answer(entered: Entered, routes: DoorRoutes, client: CallingClient | undefined): Promise<Response> {
  const { context, placed, body, time } = entered;
  const { plugin, path, door } = placed;
  try {
    const request = makeRequest(context, door.access, body);
    const handling = async () => finish(await handle(entered, routes, client, request));
    const response = await time.limit(handling());
    context.set('isFromPlugin', true);
    return response;
  } catch (error) {
    if (time.end === 'timeout') routes.log.warn({ plugin, door: path }, 'a door of a plugin took too long');
    if (error instanceof RefusalError || error instanceof StoreError) throw error;
    if (time.end === undefined) routes.log.error({ plugin, door: path, error }, 'a door of a plugin failed');
    throw new RefusalError(time.end === 'stopped' ? 'retry_later' : 'internal');
  }
}

async function handle(
  { context, placed, body, time }: Entered,
  routes: DoorRoutes,
  client: CallingClient | undefined,
  request: Request,
): Promise<Response> {
  const { door, plugin } = placed;
  const services: DoorContext = {
    log: routes.logOf(plugin),
    signal: time.signal,
    json: () => {
      requireJson(context);
      return parseJson(body.toString());
    },
    refuse: (code, message) => new RefusalError(code, message === undefined ? {} : { message }),
  };
  if (door.access === 'none') return door.handle(request, services);
  if (!client) throw new RefusalError('unauthorised');
  const { access } = door;
  const call: CallerContext['call'] = async (wanted) => {
    const { signal, ...own } = readDoorCall(wanted);
    const { calls, requests } = routes.programs;
    return requests.hold(client, AbortSignal.any([]), async (tokenEnded) => {
      time.endWith(tokenEnded);
      const until = time.untilWithdrawn(signal);
      const begun = await calls.begin(client, { ...own, callId: newId(), isLive: true });
      const findNote = () => (until.aborted ? String(until.reason) : undefined);
      const outcome = await runForCaller(routes.programs, client, begun, { until, findNote });
      if (!outcome || until.aborted || time.end !== undefined) return undefined;
      if (!(await admit(context, routes, access))) throw new RefusalError('unauthorised'); // revoked meanwhile (SEC9)
      return { ...outcome, answers: await calls.readAnswers(client.principal, begun) };
    });
  };
  const policyFor: CallerContext['policyFor'] = (names) => {
    const effect = findEffect(routes.policies, names);
    return effect === 'review' ? 'ask' : effect; // reviewers see calls of tools of this server only (LESS3)
  };
  return door.handle(request, { ...services, caller: client.principal, call, policyFor });
}

/** Makes the request that a handler receives: without the caller's credential, which it could otherwise use or log. */
function makeRequest(context: Context<Env>, access: string, body: Buffer<ArrayBuffer>): Request {
  const { method, url } = context.req;
  const headers = new Headers(context.req.raw.headers);
  headers.delete('cookie');
  if (access !== 'none') headers.delete('authorization');
  const hasBody = body.length > 0 && method !== 'GET' && method !== 'HEAD'; // a Request of these refuses one
  return new Request(url, { method, headers, ...(hasBody && { body }) });
}

/**
 * Reads a response, so that an error in its body is reported like any other. The cookies of this origin are the server's own.
 * @throws TypeError if it is not a response
 */
async function finish(response: Response): Promise<Response> {
  if (!(response instanceof Response)) throw new TypeError('the handler returned no Response');
  const headers = new Headers(response.headers);
  for (const name of ['set-cookie', 'content-length', 'transfer-encoding', 'connection']) headers.delete(name);
  const body = response.body === null ? null : await response.arrayBuffer();
  return new Response(body, { status: response.status, headers });
}
