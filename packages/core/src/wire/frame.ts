import * as z from 'zod/mini';
import { nameLateMessage, nameReply } from '../basics/id.ts';
import { isRecord, type Json } from '../basics/json.ts';
import { jsonValue } from '../basics/json-value.ts';
import { maxReasonLength, maxTitleLength } from '../basics/limits.ts';
import { storable } from '../basics/storable.ts';
import { type CommentSummary, commentSummarySchema } from '../log/comment-summary.ts';
import { type ChatEvent, codedErrorSchema, envelopeSchema } from '../log/event.ts';
import type { Head } from '../log/head.ts';
import { callerSchema, channelSchema } from '../log/outside.ts';
import type { Session } from '../log/session.ts';
import { annotationsSchema } from '../prompt/annotation-schema.ts';
import { assertionSchema } from '../prompt/assertion.ts';
import { maxAttachments } from '../prompt/attachment.ts';
import { type Actor, actions, actorSchema, approvalScopes, closeReasons } from '../prompt/interaction.ts';
import { type InteractionRequest, interactionRequestSchema } from '../prompt/interaction-request.ts';
import { type Tally, tallySchema } from '../prompt/quorum.ts';
import { reviewerOffScope } from '../prompt/review.ts';
import { roles } from '../prompt/role.ts';
import { callCommentSchema } from './call-comment.ts';
import { permissionModes } from './permission-mode.ts';
import { makeDecideSuggestion, makeListSuggestions } from './suggestion-frames.ts';

/** The version in `hello`. A change that old clients cannot ignore would make it 2 (FRM2). */
export const protocolVersion = 1;

/** Clients send session ids, so they must be safe as a path and as an object's key (T17). */
const sessionId = z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/));
const id = z.string().check(z.minLength(1), z.maxLength(200), storable);
const notReserved = (prefix: string) =>
  z.refine<string>((name) => !name.startsWith(prefix), { error: 'is a reserved name' });
/** A client's own id for its message. The `late:` prefix is reserved (INT9). */
const messageId = id.check(notReserved(nameLateMessage('')));
/** A client's own id for its comment. The `reply:` prefix is reserved: whoever took it could suppress a reply (REV4). */
const commentId = id.check(notReserved(nameReply('')));
const requestId = z.optional(id);
const text = z.string();
/** Limited because requests may be queued, which holds them in memory (SEC11). */
const shortText = z.string().check(z.maxLength(1000), storable);
const title = z.optional(z.string().check(z.minLength(1), z.maxLength(maxTitleLength), storable));
const permissionMode = z.optional(z.enum(permissionModes));
const count = z.int().check(z.positive(), z.maximum(1000));
const values = z.record(z.string(), jsonValue);
/** The server looks the files up: only their ids count (PLG13). */
const namedFiles = z.array(z.looseObject({ fileId: z.string() })).check(z.maxLength(maxAttachments));
const messageShape = { requestId, sessionId, messageId, files: z.optional(namedFiles) };
const reason = z.string().check(z.maxLength(maxReasonLength));
const callFileShape = { fileId: z.string(), name: z.string(), mediaType: z.string(), bytes: z.int(), url: z.string() };
/** Passed on unparsed: a record schema drops `__proto__` silently, but unknown fields must be refused (INT6). */
const answered = z.custom<Record<string, Json>>(isRecord, 'must be an object');

/** Every frame that a client may send (contract §3). */
export const clientFrameSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    protocol: z.int(),
    clientId: z.optional(id),
    token: z.optional(z.string()),
    label: z.optional(z.string().check(z.maxLength(200))),
    interaction: z.optional(z.object({ supported: z.boolean(), enabled: z.boolean() })),
  }),
  z.object({
    type: z.literal('subscribe'),
    requestId,
    sessionId,
    cursor: z.optional(z.object({ epoch: shortText, seq: z.int().check(z.nonnegative()) })),
    tail: z.optional(z.int().check(z.nonnegative())),
  }),
  z.object({ type: z.literal('unsubscribe'), requestId, sessionId }),
  z.object({ type: z.literal('read_events'), requestId, sessionId, before: z.int().check(z.positive()), limit: count }),
  z.object({
    type: z.literal('list_sessions'),
    requestId,
    before: z.optional(shortText),
    query: z.optional(shortText),
    archived: z.optional(z.boolean()),
    limit: z.optional(count),
  }),
  z.object({ type: z.literal('create_session'), requestId, title, agent: z.optional(id), permissionMode }),
  z.object({
    type: z.literal('update_session'),
    requestId,
    sessionId,
    title,
    agent: z.optional(id),
    permissionMode,
    pinned: z.optional(z.boolean()),
    archived: z.optional(z.boolean()),
  }),
  z.object({ type: z.literal('delete_session'), requestId, sessionId }),
  z.object({ type: z.literal('user_message'), ...messageShape, text }),
  z.object({ type: z.literal('deny_open'), ...messageShape, turnId: z.optional(id), text: reason }),
  z.object({ type: z.literal('edit_queued'), requestId, sessionId, messageId: id, text }),
  z.object({ type: z.literal('remove_queued'), requestId, sessionId, messageId: id }),
  z.object({ type: z.literal('cancel_turn'), requestId, sessionId }),
  z.object({
    type: z.literal('tool_interaction_response'),
    requestId,
    sessionId,
    callId: id,
    interactionId: id,
    answerId: z.optional(id),
    digest: z.optional(z.string()),
    action: z.enum(actions),
    approvalScope: z.optional(z.enum(approvalScopes)),
    ruleId: z.optional(id),
    button: z.optional(id),
    input: z.optional(answered),
    editedArgs: z.optional(jsonValue),
    reason: z.optional(reason),
    annotations: z.optional(annotationsSchema),
    files: z.optional(namedFiles),
    assertion: z.optional(assertionSchema),
  }),
  z.object({ type: z.literal('set_interaction_mode'), requestId, enabled: z.boolean() }),
  z.object({ type: z.literal('activity'), requestId, visible: z.boolean() }),
  z.object({ type: z.literal('draft'), requestId, sessionId, interactionId: id, values }),
  z.object({
    type: z.literal('list_grants'),
    requestId,
    sessionId: z.optional(sessionId),
    limit: z.optional(count),
  }),
  z.object({
    type: z.literal('call_tool'),
    requestId,
    sessionId: z.optional(sessionId),
    channel: z.optional(channelSchema),
    callId: z.string().check(z.minLength(1), z.maxLength(128), storable),
    toolName: id,
    args: jsonValue,
    from: z.optional(callerSchema),
  }),
  z.object({
    type: z.literal('withdraw_call'),
    requestId,
    sessionId,
    toolCallId: id,
    note: z.optional(z.string().check(z.maxLength(1000))),
  }),
  z.object({
    type: z.literal('claim_interaction'),
    requestId,
    sessionId,
    interactionId: id,
    release: z.optional(z.boolean()),
  }),
  z.object({
    type: z.literal('comment_interaction'),
    requestId,
    sessionId,
    interactionId: id,
    commentId,
    text,
    replyTo: z.optional(id),
  }),
  z.object({
    type: z.literal('reply_comment'),
    requestId,
    sessionId,
    interactionId: id,
    commentId,
    text,
    replyTo: id,
  }),
  z.object({ type: z.literal('list_open'), requestId, before: z.optional(id), limit: z.optional(count) }),
  z.object({ type: z.literal('revoke_grant'), requestId, grantId: id }),
  z.object({ type: z.literal('remove_reviewer'), requestId, sessionId, toolName: id, scope: reviewerOffScope }),
  /* @__PURE__ */ makeListSuggestions({ requestId, sessionId, id }),
  /* @__PURE__ */ makeDecideSuggestion({ requestId, sessionId, id }),
  z.object({ type: z.literal('ping') }),
]);

export type ClientFrame = z.infer<typeof clientFrameSchema>;
export type ClientFrameType = ClientFrame['type'];
export type ClientFrameOf<Type extends ClientFrameType> = Extract<ClientFrame, { type: Type }>;

/** Requests: frames that get exactly one `reply`. */
export type RequestFrame = Exclude<ClientFrame, { type: 'hello' | 'ping' }>;

const sessionSchema = z.object({
  id: z.string(),
  title: z.string(),
  agent: z.string(),
  permissionMode: z.string(),
  status: z.enum(['idle', 'running', 'waiting']),
  openCount: z.int(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  seq: z.int(),
  pinned: z.optional(z.literal(true)),
  archived: z.optional(z.literal(true)),
  channel: z.optional(z.object({ principal: z.string(), name: z.string() })),
});

const wireError = z.object({ code: z.string(), message: z.string(), details: z.optional(z.unknown()) });

const streamSchema = z.looseObject({
  turnId: z.string(),
  responseId: z.string(),
  block: z.int(),
  kind: z.enum(['text', 'thinking', 'tool_input', 'tool_output']),
  toolCallId: z.optional(z.string()),
  /** Where `text` starts in its block, in UTF-16 code units. */
  offset: z.int(),
  text: z.string(),
});

/** A chunk of streamed text. Ephemeral: the event that ends the block supersedes it (EVT4). */
export type StreamPart = z.infer<typeof streamSchema>;

/** Vote of the person who receives the frame; absent if they have not voted, or their vote no longer counts (TEAM3). */
const ownVote = z.optional(z.enum(['approve', 'deny']));

const inboxEntry = z.object({
  sessionId: z.string(),
  sessionTitle: z.optional(z.string()),
  interaction: interactionRequestSchema,
  pending: z.optional(z.boolean()),
  /** When the prompt was asked; absent if an older server sent it. */
  askedAt: z.optional(z.string()),
  /** Current votes, if the prompt counts them (TEAM3). */
  votes: z.optional(tallySchema),
  ownVote,
  comments: z.optional(commentSummarySchema),
});

/** A person has claimed a prompt (TEAM4). */
export interface Claim {
  readonly by: Actor;
  /** ISO 8601, by the server's clock. */
  readonly until: string;
}

/** An open or pending prompt in the inbox, which spans all sessions. */
export interface InboxEntry {
  readonly sessionId: string;
  /** Title at the time the entry was sent. */
  readonly sessionTitle?: string;
  readonly interaction: InteractionRequest;
  readonly pending?: boolean;
  /** When the prompt was asked, in ISO 8601. */
  readonly askedAt?: string;
  readonly votes?: Tally;
  /** Vote of the person who owns the inbox. */
  readonly ownVote?: keyof Tally;
  readonly comments?: CommentSummary;
  /** Set by a client that has only an excerpt of the request and is about to read the rest. Never sent. */
  readonly isCut?: boolean;
}

/** Every frame that a server may send (contract §3). */
export const serverFrameSchema = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('welcome'),
    protocol: z.int(),
    connectionId: z.string(),
    epoch: z.string(),
    now: z.iso.datetime(),
    server: z.looseObject({ name: z.string(), version: z.string() }),
    principal: z.looseObject({
      id: z.string(),
      name: z.optional(z.string()),
      role: z.enum(roles),
      owner: z.optional(z.string()),
      sessions: z.optional(z.readonly(z.array(z.string()))),
    }),
    agents: z.array(
      z.looseObject({
        name: z.string(),
        description: z.optional(z.string()),
        examples: z.optional(z.readonly(z.array(z.object({ text: z.string(), about: z.string() })))),
      }),
    ),
    sessions: z.array(sessionSchema),
    open: z.array(inboxEntry),
    openTotal: z.int(),
    limits: z.looseObject({}),
  }),
  z.looseObject({
    type: z.literal('snapshot'),
    sessionId: z.string(),
    epoch: z.string(),
    seq: z.int(),
    session: sessionSchema,
    head: z.looseObject({}),
    streams: z.array(streamSchema),
  }),
  z.looseObject({ type: z.literal('chat_events'), sessionId: z.string(), events: z.array(envelopeSchema) }),
  z.looseObject({ type: z.literal('live'), sessionId: z.string(), seq: z.int() }),
  z.looseObject({ type: z.literal('chat_event'), sessionId: z.string(), event: envelopeSchema }),
  z.extend(streamSchema, { type: z.literal('stream'), sessionId: z.string() }),
  z.looseObject({ type: z.literal('session_created'), session: sessionSchema }),
  z.looseObject({ type: z.literal('session_updated'), session: sessionSchema }),
  z.looseObject({ type: z.literal('session_deleted'), session: sessionSchema }),
  z.looseObject({
    type: z.literal('interaction_opened'),
    sessionId: z.string(),
    sessionTitle: z.optional(z.string()),
    interaction: interactionRequestSchema,
    askedAt: z.optional(z.string()),
    /** Current votes, if there are any (TEAM3). */
    votes: z.optional(tallySchema),
    comments: z.optional(commentSummarySchema),
  }),
  /** A vote was cast. Shows the tally and the recipient's own vote, but nobody else's (TEAM3). */
  z.looseObject({
    type: z.literal('interaction_voted'),
    sessionId: z.string(),
    interactionId: z.string(),
    votes: tallySchema,
    ownVote,
  }),
  /** Somebody commented on a prompt. */
  z.looseObject({
    ...{ type: z.literal('interaction_commented'), sessionId: z.string(), interactionId: z.string() },
    comments: commentSummarySchema,
  }),
  z.looseObject({
    type: z.literal('interaction_settled'),
    sessionId: z.string(),
    interactionId: z.string(),
    status: z.enum(['answered', ...closeReasons]),
  }),
  /** Result of an outside call, sent to its caller's connections (ASK5). */
  z.looseObject({
    type: z.literal('call_result'),
    sessionId: z.string(),
    toolCallId: z.string(),
    result: z.optional(jsonValue),
    error: z.optional(codedErrorSchema),
    /** False if secrets were left out: only connections that were waiting for the result receive them. */
    delivered: z.optional(z.boolean()),
    /** Files that were attached to the answers, if the result has them not as a member (REV6). */
    files: z.optional(z.readonly(z.array(z.object(callFileShape)))),
  }),
  /** A comment on a prompt of an outside call, sent to its caller's connections (REV4). */
  z.looseObject({
    ...{ type: z.literal('call_comment'), sessionId: z.string(), toolCallId: z.string() },
    ...callCommentSchema.shape,
  }),
  /** Grants changed, in one session or in all. Does not list them. */
  z.looseObject({ type: z.literal('grants_changed'), sessionId: z.optional(z.string()) }),
  z.looseObject({
    type: z.literal('presence'),
    sessionId: z.string(),
    connections: z.int(),
    interactive: z.int(),
    enabled: z.int(),
    /** Named people among the subscribers, each once, at most twenty. Sent to people only, never to programs. */
    people: z.optional(z.array(z.looseObject({ principal: z.string(), name: z.string() }))),
  }),
  /** A person has claimed a prompt, which does not block others (TEAM4). `until` is now if they released it. */
  z.looseObject({
    type: z.literal('claimed'),
    sessionId: z.string(),
    interactionId: z.string(),
    by: actorSchema,
    until: z.iso.datetime(),
  }),
  z.looseObject({ type: z.literal('draft'), sessionId: z.string(), interactionId: z.string(), values }),
  z.looseObject({
    type: z.literal('reply'),
    requestId: z.string(),
    ok: z.literal(true),
    result: z.optional(z.unknown()),
  }),
  z.looseObject({ type: z.literal('reset'), sessionId: z.string(), epoch: z.string() }),
  z.looseObject({ type: z.literal('pong'), now: z.iso.datetime() }),
  z.extend(z.looseObject(wireError.shape), { type: z.literal('error') }),
]);

/** The second shape of `reply`; a discriminated union accepts only one per `type`. */
export const refusedReplySchema = z.object({
  type: z.literal('reply'),
  requestId: z.string(),
  ok: z.literal(false),
  error: wireError,
});

interface Typed {
  snapshot: { sessionId: string; epoch: string; seq: number; session: Session; head: Head; streams: StreamPart[] };
  chat_events: { sessionId: string; events: readonly ChatEvent[] };
  chat_event: { sessionId: string; event: ChatEvent };
  session_created: { session: Session };
  session_updated: { session: Session };
  session_deleted: { session: Session };
}

type Parsed = z.infer<typeof serverFrameSchema> | z.infer<typeof refusedReplySchema>;

/** A server's frame, with the core's types where the schema validates only the outline. */
export type ServerFrame =
  | Exclude<Parsed, { type: keyof Typed }>
  | { [Type in keyof Typed]: { type: Type } & Typed[Type] }[keyof Typed];

export type ServerFrameOf<Type extends ServerFrame['type']> = Extract<ServerFrame, { type: Type }>;
