import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import {
  clientFrameSchema,
  isTooDeep,
  limits,
  ownerOf,
  parseExactJson,
  protocolVersion,
  RefusalError,
  refusedReplySchema,
  serverFrameSchema,
} from '@parleyhq/core';
import type { Context, Hono } from 'hono';
import * as z from 'zod';
import type { Connections, Opening } from '../connection/transport/connections.ts';
import { badRequest, type Entry, enter, parse, parseFrame, readText } from './frame-request.ts';
import { GatheredReplies } from './gathered-replies.ts';
import { describe, json, text } from './operation.ts';
import type { Env } from './request.ts';
import { makeSafeHeaders } from './safe-headers.ts';

export interface FrameRoutes extends Entry {
  readonly connections: Connections;
}

const streamQuery = z.object({
  protocol: z.coerce.number().int().default(protocolVersion),
  clientId: z.string().optional(),
  label: z.string().optional(),
  interaction: z.string().describe('As in `hello`, in JSON.').optional(),
  subscribe: z.array(z.string()).describe('A session, or a position in it: `<sessionId>:<seq>:<epoch>`.').optional(),
  tail: z.coerce
    .number()
    .int()
    .nonnegative()
    .describe('How many events of each session to send first, if no position is given.')
    .optional(),
});

/** Serves the frames of a connection over plain HTTP: the server's as server-sent events, the client's as requests (TRN1). */
export function serveFrames(app: Hono<Env>, routes: FrameRoutes): void {
  const { connections } = routes;
  const replies = new GatheredReplies();

  const aboutStream = describe({
    summary:
      'Opens a connection: the frames of the server as server-sent events. The close code of a refusal is 4000 + its status.',
    ...{ group: 'Frames', query: streamQuery, headers: z.object({ 'Last-Event-ID': z.string().optional() }) },
    responses: { 200: text('Each event is a ServerFrame.', 'text/event-stream') },
  });
  app.get('/api/stream', aboutStream, async (context) => {
    const { principal, credential, auditActor } = await enter(context, routes, { as: 'person' });
    const { incoming, outgoing } = context.env;
    incoming.socket.setKeepAlive(true, keepAliveMs); // detects a peer that vanished without closing
    const { address = '', userAgent } = auditActor;
    const refused = await connections.open({
      response: outgoing as ServerResponse,
      begin: () => outgoing.writeHead(200, { ...makeSafeHeaders(), ...streamHeaders }),
      arrival: { transport: 'http', address, userAgent, admission: { principal, credential } },
      frames: readQuery(context),
    });
    return refused ? context.json({ error: refused.error }, refused.status) : RESPONSE_ALREADY_SENT;
  });

  const reply = z.union([serverFrameSchema, refusedReplySchema]);
  const aboutFrames = describe({
    ...{ group: 'Frames', summary: 'Sends frames over a connection that the same token or log-in opened.' },
    headers: z.object({ 'Parley-Connection': z.string() }),
    body: z.union([clientFrameSchema, z.array(clientFrameSchema)] as never),
    example: { type: 'list_sessions', requestId: 'r-1', limit: 20 },
    responses: {
      200: json(
        'The replies. `Parley-Sent` is the number of frames sent over the stream so far.',
        z.union([reply, z.array(reply)] as never),
        { type: 'reply', requestId: 'r-1', ok: true, result: { sessions: [] } },
      ),
      204: { description: 'One frame that has no reply.' },
    },
  });
  app.post('/api/frames', aboutFrames, async (context) => {
    const { principal, credential = {} } = await enter(context, routes, { as: 'person' });
    const found = connections.find(context.req.header('parley-connection') ?? '', { principal, credential });
    if (!found) throw new RefusalError('not_found', { message: 'There is no such connection of yours.' });
    const frames = splitFrames(await readText(context, limits.frameBytes));
    const gathered = replies.begin(ownerOf(principal));
    const { outgoing } = context.env;
    outgoing.once('close', () => gathered.release()); // sent, or the client has closed the connection
    if (outgoing.closed) gathered.release();
    await Promise.all([frames].flat().map((frame) => found.gateway.receive(frame, false, gathered)));
    await setImmediate(); // frames sent before the replies have left and are counted
    context.header('Parley-Sent', String(found.connection.sent));
    const body = Array.isArray(frames) ? `[${gathered.texts.join(',')}]` : gathered.texts[0];
    return body === undefined ? context.body(null, 204) : context.body(body, 200, jsonHeaders);
  });
}

const keepAliveMs = 30_000;
const streamHeaders = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' };
const jsonHeaders = { 'Content-Type': 'application/json' };

/** @throws RefusalError `bad_frame` */
function readQuery(context: Context<Env>): Opening['frames'] {
  const query = { ...context.req.query(), subscribe: context.req.queries('subscribe') ?? [] };
  const { subscribe = [], tail, interaction, ...hello } = parse(streamQuery, query);
  const last = readPlace(context.req.header('last-event-id') ?? '');
  const subscriptions = subscribe.map((text) => {
    const place = readPlace(text);
    const { sessionId, cursor } = place.sessionId === last.sessionId ? last : place; // an interrupted stream continues
    return parseFrame('subscribe', { sessionId, ...(cursor ? { cursor } : { tail }) });
  });
  return [parseFrame('hello', { ...hello, interaction: readInteraction(interaction) }), ...subscriptions];
}

function readInteraction(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest('interaction: it is not JSON');
  }
}

/** Parses the id of an event, or that of a session. */
function readPlace(text: string) {
  const [sessionId = '', seq, epoch] = text.split(':');
  return { sessionId, cursor: seq === undefined ? undefined : { seq: Number(seq), epoch } };
}

/** Splits an array of frames into their texts. A text that cannot be parsed is one frame, and is refused as such. */
function splitFrames(text: string): string | readonly string[] {
  if (!text.trimStart().startsWith('[') || isTooDeep(text, limits.jsonDepth + 1)) return text;
  try {
    return (parseExactJson(text) as unknown[]).map((frame) => JSON.stringify(frame));
  } catch {
    return text;
  }
}
