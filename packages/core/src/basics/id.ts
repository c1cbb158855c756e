/** Ids on the wire. All are opaque strings; the core derives none of them from a clock (INT2). */
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

/** Identity of a store's history. A new epoch means that the history was rewound (RPL2). */
export type Epoch = string;

/** Milliseconds since 1970, UTC. Always passed in: the core reads no clock. */
export type Instant = number;

/** Returns `<toolCallId>.<n>`, with `.0` for the policy gate. The number only makes the id unique (INT2). */
export function nameInteraction(toolCallId: ToolCallId, n: number): InteractionId {
  return `${toolCallId}.${n}`;
}

/** Returns the call that asked a prompt (INT2). */
export function callOfInteraction(id: InteractionId): ToolCallId {
  return id.slice(0, id.lastIndexOf('.'));
}

/** Returns the messageId of the one message that a late answer turns into (INT9). */
export function nameLateMessage(interactionId: InteractionId): MessageId {
  return `late:${interactionId}`;
}

/** Returns the commentId of the one reply of a tool or an agent to a comment (REV4). @param id - of the comment's event */
export function nameReply(id: EventId): string {
  return `reply:${id}`;
}
