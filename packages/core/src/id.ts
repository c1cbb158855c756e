/** Names of things on the wire. All are opaque strings; none is ever derived from a clock (INT2). */
export type SessionId = string;
export type EventId = string;
export type TurnId = string;
export type ResponseId = string;
export type MessageId = string;
export type ToolCallId = string;
export type InteractionId = string;
export type AnswerId = string;
export type ConnectionId = string;
export type ClientId = string;

/** Position of an event in its session: 1, 2, 3 … (EVT1). */
export type Seq = number;

/** Identity of a store's history: another epoch means that the history was rewound (RPL2). */
export type Epoch = string;

/** Milliseconds since 1970, UTC. Handed to the core, never read by it. */
export type Instant = number;

/** `<toolCallId>.<n>`: n only names; `.0` is the policy gate's (INT2). */
export function nameInteraction(toolCallId: ToolCallId, n: number): InteractionId {
  return `${toolCallId}.${n}`;
}

/** The id of the grant that the answer to a prompt gives: there is one at most. */
export function nameGivenGrant(sessionId: SessionId, interactionId: InteractionId): string {
  return `${sessionId}:${interactionId}`;
}

/** The messageId of the one message that a late answer becomes (INT9). */
export function nameLateMessage(interactionId: InteractionId): MessageId {
  return `late:${interactionId}`;
}
