import type { ChatEvent, Payload } from './event.ts';
import type { InteractionId, MessageId, ResponseId, Seq, ToolCallId, TurnId } from './id.ts';
import { nameLateMessage } from './id.ts';
import type { InteractionRequest } from './interaction.ts';
import { findById, type OpenPrompt, reduceOpenPrompts } from './prompt-life.ts';
import type { Asked } from './role.ts';

/** A running turn. */
export interface Turn {
  readonly turnId: TurnId;
  readonly agent: string;
  readonly owner: string;
  /** The persons who wrote or changed the message that started it (TEAM2). Absent in turns of earlier releases. */
  readonly requesters?: readonly string[];
  /** Of its `turn_start`. */
  readonly seq: Seq;
  /** Its newest message is stored and calls no tool: only the `turn_end` is missing. */
  readonly isWritten: boolean;
}

/** A tool call without a result. */
export interface OpenCall {
  readonly toolCallId: ToolCallId;
  readonly toolName: string;
  readonly args: Payload<'tool_call'>['args'];
  readonly turnId: TurnId | undefined;
  readonly responseId: ResponseId | undefined;
  readonly seq: Seq;
  /** Who allowed it to run, from its event. Absent in heads cached by earlier releases. */
  readonly authorised?: Payload<'tool_call'>['authorised'];
  /** The highest number of a prompt of this call; the next one is `<toolCallId>.<asked + 1>`. */
  readonly asked: number;
  /** The call that made this one (AGT7). */
  readonly parentToolCallId?: ToolCallId;
  /** In a snapshot: something of it was left out (`true`), or was and stands here again. */
  readonly isCut?: boolean;
}

export interface QueuedMessage extends Payload<'user_message'> {
  readonly seq: Seq;
  /** In a snapshot: something of it was left out (`true`), or was and stands here again. */
  readonly isCut?: boolean;
}

/** A late answer whose message is not written yet, because its hook is still deciding (INT9). */
export interface LateAnswer {
  readonly request: InteractionRequest;
  readonly response: Payload<'interaction_response'>;
  readonly timestamp: string;
}

/** Everything unfinished in a session at `seq`. Its size depends on the work in progress, not on the length of the log (EVT3). */
export interface Head {
  readonly seq: Seq;
  readonly turn: Turn | null;
  readonly calls: readonly OpenCall[];
  readonly prompts: readonly OpenPrompt[];
  readonly queue: readonly QueuedMessage[];
  readonly lateAnswers: readonly LateAnswer[];
  /** It came in a snapshot with texts left out, for it was too large (SEC11). */
  readonly isExcerpt?: boolean;
}

export const emptyHead: Head = { seq: 0, turn: null, calls: [], prompts: [], queue: [], lateAnswers: [] };

/** The head after one more event. Pure, and the same function on the server, in tabs, in replay and in tests (EVT3). */
export function reduceHead(head: Head, event: ChatEvent): Head {
  const next = { ...head, seq: event.seq };
  switch (event.type) {
    case 'user_message':
      return {
        ...next,
        queue: without(head.queue, event.payload.messageId),
        lateAnswers: withoutLate(head.lateAnswers, event.payload.messageId),
      };
    case 'message_queued':
      return {
        ...next,
        queue: event.payload.isEdit
          ? head.queue.map((message) =>
              message.messageId === event.payload.messageId ? edited(message, event.payload) : message,
            )
          : [...head.queue, { ...event.payload, seq: event.seq }],
        lateAnswers: withoutLate(head.lateAnswers, event.payload.messageId),
      };
    case 'message_unqueued':
      return { ...next, queue: without(head.queue, event.payload.messageId) };
    case 'turn_start':
      return { ...next, turn: turnOf(event) };
    case 'turn_resumed':
      return { ...next, turn: head.turn && { ...head.turn, owner: event.payload.owner } };
    case 'turn_end':
      return { ...next, turn: null };
    case 'assistant_done':
    case 'thinking_done':
      return { ...next, turn: head.turn && { ...head.turn, isWritten: true } };
    case 'tool_call':
      return {
        ...next,
        turn: head.turn && { ...head.turn, isWritten: false },
        calls: [...head.calls, openCall(event)],
      };
    case 'tool_result':
      return { ...next, calls: head.calls.filter((call) => call.toolCallId !== event.payload.toolCallId) };
    case 'interaction_request':
      return {
        ...next,
        calls: countPrompt(head.calls, event.payload),
        prompts: reduceOpenPrompts(head.prompts, event),
      };
    case 'interaction_expired':
    case 'interaction_pending':
    case 'interaction_closed':
      return { ...next, prompts: reduceOpenPrompts(head.prompts, event) };
    case 'interaction_response':
      return {
        ...next,
        prompts: reduceOpenPrompts(head.prompts, event), // mutant: claim
        lateAnswers: addLate(head, event),
      };
    case 'session_changed':
    case 'error':
      return next;
    default:
      event satisfies never; // an event of a later release only advances `seq` (EVT5)
      return next;
  }
}

export function findCall(head: Head, id: ToolCallId): OpenCall | undefined {
  return head.calls.find((call) => call.toolCallId === id);
}

export function findPrompt(head: Head, id: InteractionId): OpenPrompt | undefined {
  return findById(head.prompts, id);
}

/** Whom a prompt asks that is opened now: who asked for the turn may be excluded (TEAM2). */
export function askedIn({ turn }: Head, { audience, risk }: Asked): Asked {
  return { audience, risk, ...(turn?.requesters && { requesters: [...turn.requesters] }) };
}

/** Whether the turn waits for a person. Pending prompts hold nothing up (WEB6). */
export function isWaiting(head: Head): boolean {
  return head.turn !== null && head.prompts.some((prompt) => prompt.state !== 'pending');
}

export type SessionStatus = 'idle' | 'running' | 'waiting';

/** A late answer whose hook is running counts as running, so that a restart finds the session. */
export function statusOf(head: Head): SessionStatus {
  if (!head.turn) return head.lateAnswers.length > 0 ? 'running' : 'idle';
  return isWaiting(head) ? 'waiting' : 'running';
}

export function turnOf(event: ChatEvent<'turn_start'>): Turn {
  const { agent, owner, requesters } = event.payload;
  const asked = requesters && { requesters };
  return { turnId: event.turnId ?? event.id, agent, owner, ...asked, seq: event.seq, isWritten: false };
}

function edited(message: QueuedMessage, { text, editedBy }: Payload<'message_queued'>): QueuedMessage {
  return { ...message, text, ...(editedBy && { editedBy }) };
}

function openCall(event: ChatEvent<'tool_call'>): OpenCall {
  const { toolCallId, toolName, args, authorised, parentToolCallId } = event.payload;
  const { turnId, responseId, seq } = event;
  const inside = parentToolCallId === undefined ? {} : { parentToolCallId };
  return { toolCallId, toolName, args, authorised, turnId, responseId, seq, asked: 0, ...inside };
}

/** Ids are `<toolCallId>.<n>`. Counting continues after a restart, so no id is used twice (INT2). */
function countPrompt(calls: readonly OpenCall[], request: InteractionRequest): readonly OpenCall[] {
  const n = Number(request.interactionId.slice(request.toolCallId.length + 1));
  return calls.map((call) => (call.toolCallId === request.toolCallId && n > call.asked ? { ...call, asked: n } : call));
}

function addLate(head: Head, event: ChatEvent<'interaction_response'>): readonly LateAnswer[] {
  const prompt = findPrompt(head, event.payload.interactionId);
  if (!prompt || !event.payload.late || event.payload.action === 'cancel') return head.lateAnswers;
  return [...head.lateAnswers, { request: prompt.request, response: event.payload, timestamp: event.timestamp }];
}

function withoutLate(answers: readonly LateAnswer[], messageId: MessageId): readonly LateAnswer[] {
  return answers.filter((answer) => nameLateMessage(answer.response.interactionId) !== messageId);
}

function without(queue: readonly QueuedMessage[], messageId: MessageId): readonly QueuedMessage[] {
  return queue.filter((message) => message.messageId !== messageId);
}
