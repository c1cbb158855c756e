import type { ServerFrame, SessionId } from '@parleyhq/core';

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === 'string';
const count: Check = (value) => Number.isInteger(value);
const flag: Check = (value) => typeof value === 'boolean';
const record: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

function object(shape: Readonly<Record<string, Check>>): Check {
  const members = Object.entries(shape);
  return (value) => record(value) && members.every(([name, fits]) => fits((value as Record<string, unknown>)[name]));
}

function optional(fits: Check): Check {
  return (value) => value === undefined || fits(value);
}

function listOf(fits: Check): Check {
  return (value) => Array.isArray(value) && value.every(fits);
}

const session = object({
  id: text,
  title: text,
  agent: text,
  permissionMode: text,
  status: text,
  openCount: count,
  createdAt: text,
  updatedAt: text,
  seq: count,
});

const event = object({ seq: count, id: text, sessionId: text, timestamp: text, v: count, type: text, payload: record });

const interaction = object({
  toolCallId: text,
  interactionId: text,
  slot: text,
  toolName: text,
  interactionType: text,
  attempt: count,
  presentation: text,
  source: object({ kind: text, name: text }),
  digest: text,
  onUnavailable: text,
});

const actor = object({ clientId: text, connectionId: text, principal: text, transport: text });

const people = listOf(object({ principal: text, name: text }));
const streamed = { turnId: text, responseId: text, block: count, kind: text, offset: count, text };
const ofSession = { sessionId: text };
const error = { code: text, message: text };

/** Checks of the members that the client reads (FRM1). Handwritten: the core's schemas would be the largest part of the page. */
const frames: Readonly<Record<ServerFrame['type'], Check>> = {
  welcome: object({
    protocol: count,
    connectionId: text,
    epoch: text,
    now: text,
    server: object({ name: text, version: text }),
    principal: object({ id: text, role: text }),
    agents: listOf(object({ name: text })),
    sessions: listOf(session),
    open: listOf(object({ ...ofSession, interaction })),
    openTotal: count,
    limits: record,
  }),
  snapshot: object({ ...ofSession, epoch: text, seq: count, session, head: record, streams: listOf(object(streamed)) }),
  chat_events: object({ ...ofSession, events: listOf(event) }),
  live: object({ ...ofSession, seq: count }),
  chat_event: object({ ...ofSession, event }),
  stream: object({ ...ofSession, ...streamed }),
  session_created: object({ session }),
  session_updated: object({ session }),
  session_deleted: object({ session }),
  interaction_opened: object({ ...ofSession, interaction }),
  interaction_voted: object({ ...ofSession, interactionId: text, votes: object({ approve: count, deny: count }) }),
  interaction_commented: object({
    ...{ ...ofSession, interactionId: text },
    comments: object({ count, seq: count, at: text, person: text, by: text, text }),
  }),
  interaction_settled: object({ ...ofSession, interactionId: text, status: text }),
  call_result: object({ ...ofSession, toolCallId: text }),
  call_comment: object({
    ...{ ...ofSession, toolCallId: text, interactionId: text, commentId: text, text },
    ...{ by: object({ principal: text }), at: text },
  }),
  grants_changed: record,
  presence: object({ ...ofSession, connections: count, interactive: count, enabled: count, people: optional(people) }),
  claimed: object({ ...ofSession, interactionId: text, by: actor, until: text }),
  draft: object({ ...ofSession, interactionId: text, values: record }),
  reply: (frame) => object({ requestId: text, ok: flag })(frame) && isWhole(frame as { ok: boolean }),
  reset: object({ ...ofSession, epoch: text }),
  pong: object({ now: text }),
  error: object(error),
};

const refusal = object({ error: object(error) });
const isWhole = (reply: { ok: boolean }) => reply.ok || refusal(reply);

/** A frame that does not match the protocol: its type, session and request, as far as they can be read. */
export interface InvalidFrame {
  readonly type: string;
  readonly sessionId: SessionId | undefined;
  readonly requestId: string | undefined;
}

/** Text from the server: a frame, a frame of a type that this release does not know, or an invalid one (FRM1). */
export type ReadFrame =
  | { readonly kind: 'frame'; readonly frame: ServerFrame }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'faulty'; readonly fault: InvalidFrame };

export function readFrame(line: string): ReadFrame {
  const frame = parse(line);
  if (!record(frame)) return faulty('text', {});
  const members = frame as Record<string, unknown>;
  const { type } = members;
  if (typeof type !== 'string') return faulty('frame', members);
  if (!Object.hasOwn(frames, type)) return { kind: 'unknown' };
  if (!frames[type as ServerFrame['type']](frame)) return faulty(type, members);
  return { kind: 'frame', frame: frame as ServerFrame };
}

function faulty(type: string, { sessionId, requestId }: Record<string, unknown>): ReadFrame {
  const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
  return { kind: 'faulty', fault: { type, sessionId: textOf(sessionId), requestId: textOf(requestId) } };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // handled as an invalid frame
  }
}
