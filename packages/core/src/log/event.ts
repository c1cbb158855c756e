import * as z from 'zod/mini';
import type {
  AnswerId,
  EventId,
  InteractionId,
  MessageId,
  ResponseId,
  Seq,
  SessionId,
  ToolCallId,
  TurnId,
} from '../basics/id.ts';
import { jsonValue } from '../basics/json-value.ts';
import { annotationsSchema } from '../prompt/annotation-schema.ts';
import { storedAssertionSchema } from '../prompt/assertion.ts';
import { attachmentsSchema } from '../prompt/attachment-schema.ts';
import { askedAudienceSchema, audienceSchema } from '../prompt/audience.ts';
import { actorSchema, closeReasons, interactionResponseSchema, visibilitySchema } from '../prompt/interaction.ts';
import { interactionRequestSchema } from '../prompt/interaction-request.ts';
import { tallySchema } from '../prompt/quorum.ts';
import { reviewedSchema } from '../prompt/review.ts';
import { ruleScopes } from '../prompt/rule.ts';
import { callerSchema } from './outside.ts';

/** The schema version that this release writes as `v`. */
export const eventVersion = 1;

export const codedErrorSchema = z.object({ code: z.string(), message: z.string() });
export type CodedError = z.infer<typeof codedErrorSchema>;

export const messageSchema = z.object({
  messageId: z.string(),
  text: z.string(),
  origin: z.enum(['user', 'interaction']),
  interactionId: z.optional(z.string()),
  from: z.optional(actorSchema),
  files: z.optional(attachmentsSchema),
  /** Other people who edited it in the queue, each once (TEAM2). */
  editedBy: z.optional(z.array(actorSchema)),
});
export type Message = z.infer<typeof messageSchema>;

export const toolCallSchema = z.object({
  toolCallId: z.string(),
  toolName: z.string(),
  args: jsonValue,
  /** Parsed arguments, if they differ from `args`: what people are shown, what they consent to, and what runs (APR2). */
  parsedArgs: z.optional(jsonValue),
  plugin: z.optional(z.object({ name: z.string(), version: z.string() })),
  authorised: z.object({
    by: z.enum(['tool', 'person', 'grant', 'policy', 'mode', 'reviewer']),
    grantId: z.optional(z.string()),
    /** Label of that grant's rule: see `ruleOfUse`. */
    rule: z.optional(z.string()),
    interactionId: z.optional(z.string()),
    /** Revision of the tool, if it has one: a grant or a reviewer allows no other, and a person is asked about this one (APR3). */
    revision: z.optional(z.string()),
    /** The reviewer that passed the call, and its reason (LESS3). */
    name: z.optional(z.string()),
    reason: z.optional(z.string()),
    /** Identifies the description that this reviewer saw. */
    digest: z.optional(z.string()),
    /** What a reviewer found before a person was asked. */
    reviewed: z.optional(reviewedSchema),
  }),
  parentToolCallId: z.optional(z.string()),
  /** The caller's key and name for the call, and the caller as an actor (ASK1). */
  callId: z.optional(z.string()),
  from: z.optional(callerSchema),
  by: z.optional(actorSchema),
  /**
   * Set if the call ends with the request that waits for it: it cannot be repeated or fetched, and is withdrawn with the request
   * (ASK4).
   */
  isLive: z.optional(z.boolean()),
  /** Set if the configuration hides the call from the start. Until it asks, this audience may see it (TEAM1). */
  visibility: z.optional(visibilitySchema),
  audience: z.optional(askedAudienceSchema),
  requesters: z.optional(z.array(z.string())),
});
export type ToolCall = z.infer<typeof toolCallSchema>;

/** A rule that a person allowed because it was suggested, and the grant of it. */
export const allowedRuleSchema = z.object({
  grantId: z.string(),
  toolName: z.string(),
  label: z.string(),
  scope: z.enum(ruleScopes),
  /** Number of approvals that it would have covered. */
  count: z.int(),
});
export type AllowedRule = z.infer<typeof allowedRuleSchema>;

const block = { block: z.int(), text: z.string() };
const prompt = { toolCallId: z.string(), interactionId: z.string() };

export const callbackOutcomes = ['received', 'timeout', 'withdrawn'] as const;
export type CallbackOutcome = (typeof callbackOutcomes)[number];

/** Every event type and its payload (contract §2). Types, parsing and tests derive from this list. */
export const payloadSchemas = {
  user_message: messageSchema,
  /** `isEdit` marks a new text for a message that is already queued. */
  message_queued: z.extend(messageSchema, { isEdit: z.optional(z.boolean()) }),
  message_unqueued: z.object({ messageId: z.string(), reason: z.enum(['removed', 'returned']) }),
  turn_start: z.object({
    trigger: z.enum(['user', 'interaction', 'system', 'outside']),
    agent: z.string(),
    model: z.optional(z.string()),
    owner: z.string(),
    /** The persons who wrote or changed its message (TEAM2). Absent in events of earlier releases. */
    requesters: z.optional(z.array(z.string())),
  }),
  turn_resumed: z.object({ owner: z.string() }),
  assistant_done: z.object({ ...block, interrupted: z.optional(z.boolean()) }),
  thinking_done: z.object(block),
  tool_call: toolCallSchema,
  tool_result: z.object({
    toolCallId: z.string(),
    toolName: z.string(),
    result: z.optional(jsonValue),
    error: z.optional(codedErrorSchema),
    /** What people wrote while they answered the call's prompts, worded for the model (APR5). */
    note: z.optional(z.string()),
    /** What people attached to their answers of the call's prompts (REV6). */
    files: z.optional(attachmentsSchema),
    /** The grant that answered the tool's own `ctx.approve`, and the label of its rule: see `ruleOfUse`. */
    grantId: z.optional(z.string()),
    rule: z.optional(z.string()),
    /** What passed the tool's own `ctx.approve` in place of a person; of several the last one. A reviewer with its reason (LESS3). */
    authorised: z.optional(
      z.object({
        by: z.enum(['policy', 'mode', 'reviewer']),
        name: z.optional(z.string()),
        reason: z.optional(z.string()),
      }),
    ),
    /** Set if a secret that a person typed was removed from it (INT17). */
    isRedacted: z.optional(z.literal(true)),
  }),
  interaction_request: interactionRequestSchema,
  interaction_response: interactionResponseSchema,
  /**
   * A vote that does not decide yet (TEAM3). `votes` includes it; `struck` lists principals whose votes no longer count, because
   * their tokens were revoked.
   */
  interaction_vote: z.object({
    ...prompt,
    answerId: z.string(),
    action: z.enum(['approve', 'deny']),
    reason: z.optional(z.string()),
    annotations: z.optional(annotationsSchema),
    by: actorSchema,
    /** What a passkey of the voter signed, if the prompt demanded it (SIGN2). */
    assertion: z.optional(storedAssertionSchema),
    votes: tallySchema,
    struck: z.optional(z.array(z.string())),
  }),
  /** What a person, or whoever asks, said under a prompt; it settles nothing (REV4). */
  interaction_comment: z.object({
    ...prompt,
    commentId: z.string(),
    text: z.string(),
    by: actorSchema,
    /** Id of the comment of the same prompt that it answers. */
    replyTo: z.optional(z.string()),
    /** Whether it is by whoever asks: the tool, its agent, or the program that called. */
    isAskers: z.optional(z.literal(true)),
  }),
  /** Asks more people in addition (TEAM5). Steps are counted from 1. */
  interaction_escalated: z.object({ ...prompt, step: z.int(), audience: audienceSchema }),
  interaction_expired: z.object(prompt),
  interaction_pending: z.object({ ...prompt, message: z.string(), expiresAt: z.optional(z.iso.datetime()) }),
  /** `replacedBy` names the prompt that replaced this one, if any. */
  interaction_closed: z.object({
    ...prompt,
    reason: z.enum(closeReasons),
    replacedBy: z.optional(z.string()),
    /** The caller's reason (ASK4). */
    note: z.optional(z.string()),
  }),
  /** A callback came from outside, timed out, or was no longer needed (PLG11). Only the handler receives its content. */
  callback_settled: z.object({
    toolCallId: z.string(),
    key: z.string(),
    outcome: z.enum(callbackOutcomes),
  }),
  session_changed: z.object({
    title: z.optional(z.string()),
    agent: z.optional(z.string()),
    permissionMode: z.optional(z.string()),
    pinned: z.optional(z.boolean()),
    archived: z.optional(z.boolean()),
    /** A rule that was allowed apart from a prompt, after it was suggested (LESS2). */
    rule: z.optional(allowedRuleSchema),
    by: actorSchema,
  }),
  turn_end: z.object({
    status: z.enum(['completed', 'cancelled', 'error']),
    error: z.optional(codedErrorSchema),
    usage: z.optional(jsonValue),
  }),
  error: codedErrorSchema,
} as const;

export type EventType = keyof typeof payloadSchemas;
export type Payload<Type extends EventType> = z.infer<(typeof payloadSchemas)[Type]>;

interface Origin {
  readonly turnId?: TurnId | undefined;
  /** The assistant message that the event belongs to. */
  readonly responseId?: ResponseId | undefined;
}

interface Envelope extends Origin {
  readonly seq: Seq;
  readonly id: EventId;
  readonly sessionId: SessionId;
  /** ISO 8601, UTC. Never sort by it; `seq` is the order. */
  readonly timestamp: string;
  readonly v: number;
}

type Typed<Type extends EventType, Base> = Type extends EventType
  ? Base & { readonly type: Type; readonly payload: Payload<Type> }
  : never;

/** An immutable fact in a session's log. */
export type ChatEvent<Type extends EventType = EventType> = Typed<Type, Envelope>;

/** An event that was decided but has no position in the log yet. */
export type NewEvent<Type extends EventType = EventType> = Typed<Type, Origin>;

const typeSchema = z.enum(Object.keys(payloadSchemas) as [EventType, ...EventType[]]);

/** The envelope of any event, including types that this release does not know (EVT5). */
export const envelopeSchema = z.looseObject({
  seq: z.int().check(z.positive()),
  id: z.string(),
  sessionId: z.string(),
  timestamp: z.iso.datetime(),
  turnId: z.optional(z.string()),
  responseId: z.optional(z.string()),
  v: z.int(),
  type: z.string(),
  payload: z.looseObject({}),
});

/** Whether this release knows the type. Unknown events are kept and shown as opaque. */
export function isKnownEvent(event: { readonly type: string }): event is ChatEvent {
  return typeSchema.safeParse(event.type).success;
}

/**
 * Returns the key under which an event is unique in its session, if it has one. The store's unique index over keys enforces
 * that the first response wins (INT4) as a last safeguard, and finds the reply to a repeated command (FRM6).
 */
export function keyOf(event: ChatEvent): string | undefined {
  switch (event.type) {
    case 'user_message':
      return messageKey(event.payload.messageId);
    case 'message_queued':
      return event.payload.isEdit ? undefined : queuedKey(event.payload.messageId);
    case 'tool_call':
      return callKey(event.payload.toolCallId);
    case 'tool_result':
      return resultKey(event.payload.toolCallId);
    case 'interaction_request':
      return requestKey(event.payload.interactionId);
    case 'interaction_response': // mutant: claim
    case 'interaction_closed':
      return settlementKey(event.payload.interactionId);
    case 'interaction_vote':
      return voteKey(event.payload.interactionId, event.payload.answerId);
    case 'interaction_comment':
      return commentKey(event.payload.interactionId, event.payload.commentId);
    case 'interaction_escalated':
      return escalationKey(event.payload.interactionId, event.payload.step);
    case 'callback_settled':
      return callbackKey(event.payload.toolCallId, event.payload.key);
    default:
      return undefined;
  }
}

export const messageKey = (id: MessageId) => `message:${id}`;
export const queuedKey = (id: MessageId) => `queued:${id}`;
export const callKey = (id: ToolCallId) => `call:${id}`;
export const resultKey = (id: ToolCallId) => `result:${id}`;
export const requestKey = (id: InteractionId) => `request:${id}`;
export const settlementKey = (id: InteractionId) => `settlement:${id}`;
export const voteKey = (id: InteractionId, answerId: AnswerId) => `vote:${id}:${answerId}`;
export const commentKey = (id: InteractionId, commentId: string) => `comment:${id}:${commentId}`;
export const escalationKey = (id: InteractionId, step: number) => `escalated:${id}:${step}`;
export const callbackKey = (id: ToolCallId, key: string) => `callback:${JSON.stringify([id, key])}`;
