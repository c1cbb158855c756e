import type { ChatEvent, Payload } from './event.ts';
import type { InteractionId, MessageId, ResponseId, Seq, ToolCallId, TurnId } from './id.ts';
import { nameLateMessage } from './id.ts';
import type { InteractionRequest } from './interaction.ts';

/** A turn that runs. */
export interface Turn {
  readonly turnId: TurnId;
  readonly agent: string;
  readonly owner: string;
  /** Where its `turn_start` stands. */
  readonly seq: Seq;
  /** Its newest message is stored and calls nothing: all that is missing is the end. */
  readonly isWritten: boolean;
}

/** A tool call without its result. */
export interface OpenCall {
  readonly toolCallId: ToolCallId;
  readonly toolName: string;
  readonly args: Payload<'tool_call'>['args'];
  readonly turnId: TurnId | undefined;
  readonly responseId: ResponseId | undefined;
  readonly seq: Seq;
  /** Who decided that it may run, as its event says; absent in a head that an earlier release cached. */
  readonly authorised?: Payload<'tool_call'>['authorised'];
  /** The highest number that named a prompt of this call; the next one is `<toolCallId>.<asked + 1>`. */
  readonly asked: number;
  /** The call that it was made inside of (AGT7). */
  readonly parentToolCallId?: ToolCallId;
}

/**
 * A prompt that can still be answered, or is being decided (`expired`: `onTimeout` runs).
 * `pending` means that its tool went on; the prompt then outlives its call.
 */
export interface OpenPrompt {
  readonly request: InteractionRequest;
  readonly state: 'open' | 'pending' | 'expired';
  readonly seq: Seq;
  readonly timestamp: string;
  readonly expiresAt: string | undefined;
  readonly turnId: TurnId | undefined;
  readonly responseId: ResponseId | undefined;
  /** What the tool said when it went on. */
  readonly message: string | undefined;
}

export interface QueuedMessage extends Payload<'user_message'> {
  readonly seq: Seq;
}

/** A late answer whose message has not been written yet: its hook has ten seconds (INT9). */
export interface LateAnswer {
  readonly request: InteractionRequest;
  readonly response: Payload<'interaction_response'>;
  readonly timestamp: string;
}

/** All that is unfinished in a session at `seq`; bounded by the work in hand, whatever the length of the log (EVT3). */
export interface Head {
  readonly seq: Seq;
  readonly turn: Turn | null;
  readonly calls: readonly OpenCall[];
  readonly prompts: readonly OpenPrompt[];
  readonly queue: readonly QueuedMessage[];
  readonly lateAnswers: readonly LateAnswer[];
}

export const emptyHead: Head = { seq: 0, turn: null, calls: [], prompts: [], queue: [], lateAnswers: [] };

/** The state after one more event. Pure; the same on the server, in a tab, in replay and in tests (EVT3). */
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
              message.messageId === event.payload.messageId ? { ...message, text: event.payload.text } : message,
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
      return { ...next, calls: countPrompt(head.calls, event.payload), prompts: [...head.prompts, openPrompt(event)] };
    case 'interaction_expired':
      return { ...next, prompts: change(head.prompts, event.payload.interactionId, { state: 'expired' }) };
    case 'interaction_pending': {
      const { interactionId, message, expiresAt } = event.payload;
      return { ...next, prompts: change(head.prompts, interactionId, { state: 'pending', message, expiresAt }) };
    }
    case 'interaction_response':
      return {
        ...next,
        prompts: withoutPrompt(head.prompts, event.payload.interactionId), // mutant: claim
        lateAnswers: addLate(head, event),
      };
    case 'interaction_closed':
      return { ...next, prompts: withoutPrompt(head.prompts, event.payload.interactionId) };
    case 'session_changed':
    case 'error':
      return next;
    default:
      event satisfies never; // an event of a later release moves the head on and changes nothing (EVT5)
      return next;
  }
}

export function findCall(head: Head, id: ToolCallId): OpenCall | undefined {
  return head.calls.find((call) => call.toolCallId === id);
}

export function findPrompt(head: Head, id: InteractionId): OpenPrompt | undefined {
  return head.prompts.find((prompt) => prompt.request.interactionId === id);
}

/** Whether a person is being waited for: a prompt that went pending holds nobody up (WEB6). */
export function isWaiting(head: Head): boolean {
  return head.turn !== null && head.prompts.some((prompt) => prompt.state !== 'pending');
}

export type SessionStatus = 'idle' | 'running' | 'waiting';

/** A late answer whose hook is at work is work, too: a restart must find its session. */
export function statusOf(head: Head): SessionStatus {
  if (!head.turn) return head.lateAnswers.length > 0 ? 'running' : 'idle';
  return isWaiting(head) ? 'waiting' : 'running';
}

export function turnOf(event: ChatEvent<'turn_start'>): Turn {
  const { agent, owner } = event.payload;
  return { turnId: event.turnId ?? event.id, agent, owner, seq: event.seq, isWritten: false };
}

function openCall(event: ChatEvent<'tool_call'>): OpenCall {
  const { toolCallId, toolName, args, authorised, parentToolCallId } = event.payload;
  const { turnId, responseId, seq } = event;
  const inside = parentToolCallId === undefined ? {} : { parentToolCallId };
  return { toolCallId, toolName, args, authorised, turnId, responseId, seq, asked: 0, ...inside };
}

function openPrompt(event: ChatEvent<'interaction_request'>): OpenPrompt {
  return {
    request: event.payload,
    state: 'open',
    seq: event.seq,
    timestamp: event.timestamp,
    expiresAt: event.payload.expiresAt,
    turnId: event.turnId,
    responseId: event.responseId,
    message: undefined,
  };
}

/** Ids are `<toolCallId>.<n>`; the number goes on counting after a restart, so that no id is used twice (INT2). */
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

function withoutPrompt(prompts: readonly OpenPrompt[], id: InteractionId): readonly OpenPrompt[] {
  return prompts.filter((prompt) => prompt.request.interactionId !== id);
}

function change(prompts: readonly OpenPrompt[], id: InteractionId, part: Partial<OpenPrompt>): readonly OpenPrompt[] {
  return prompts.map((prompt) => (prompt.request.interactionId === id ? { ...prompt, ...part } : prompt));
}
