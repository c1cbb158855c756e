import type { InteractionId, MessageId, ResponseId, Seq, ToolCallId, TurnId } from '../basics/id.ts';
import { nameLateMessage } from '../basics/id.ts';
import type { AskedAudience } from '../prompt/audience.ts';
import type { Actor } from '../prompt/interaction.ts';
import type { InteractionRequest } from '../prompt/interaction-request.ts';
import { type Asked, personOf } from '../prompt/role.ts';
import type { ChatEvent, Payload } from './event.ts';
import { asHidden, type HiddenEvent, type HiddenPrompt, hideCall, hideMessage, hidingOf } from './hidden.ts';
import {
  findById,
  isStateEvent,
  type OpenPrompt,
  type PromptState,
  reduceOpenPrompts,
  stateAfter,
} from './prompt-life.ts';

/** A running turn. */
export interface Turn {
  readonly turnId: TurnId;
  readonly agent: string;
  readonly owner: string;
  /** The persons who wrote or changed the message that started it (TEAM2). Absent in turns of earlier releases. */
  readonly requesters?: readonly string[];
  /** Seq of its `turn_start`. */
  readonly seq: Seq;
  /** Whether its newest message is stored and calls no tool, so that only the `turn_end` is missing. */
  readonly isWritten: boolean;
  /** Id of the newest stored message. Absent before the first, and in heads cached by earlier releases. */
  readonly written?: ResponseId;
  /** Number of its stored messages. Absent before the first, and too low for a turn that an earlier release began. */
  readonly messages?: number;
}

/** A tool call without a result. */
export interface OpenCall {
  readonly toolCallId: ToolCallId;
  readonly toolName: string;
  readonly args: Payload<'tool_call'>['args'];
  /** Parsed arguments, if they differ from `args`: see `argsOf` (APR2). */
  readonly parsedArgs?: Payload<'tool_call'>['args'];
  readonly turnId: TurnId | undefined;
  readonly responseId: ResponseId | undefined;
  readonly seq: Seq;
  /** What allowed it to run, from its event. Absent in heads cached by earlier releases. */
  readonly authorised?: Payload<'tool_call'>['authorised'];
  /** Highest number of a prompt of this call; the next one is `<toolCallId>.<asked + 1>`. */
  readonly asked: number;
  /** Caller of an outside call (ASK1), and whether any of its prompts was answered (ASK4). */
  readonly by?: Actor;
  readonly isAnswered?: boolean;
  /** Whether it ends with the request that waits for it (ASK4). */
  readonly isLive?: boolean;
  /** The call that made this one (AGT7). */
  readonly parentToolCallId?: ToolCallId;
  /** The persons who edited its arguments, or those of the call around it when that made this one (TEAM2). */
  readonly editedBy?: readonly string[];
  /**
   * Set if it is hidden from people outside its audience: that of its newest hidden prompt, or else of the configuration (TEAM1).
   */
  readonly visibility?: 'audience';
  readonly audience?: AskedAudience | undefined;
  readonly risk?: InteractionRequest['risk'];
  /** Its settled callbacks and their outcomes; absent before the first (PLG11). */
  readonly callbacks?: readonly SettledCallback[];
  /** Whether it is hidden from this reader: only its ids are known (TEAM1). */
  readonly isHidden?: boolean;
  /** In a snapshot: whether parts of it are missing (`true`), or were and have been restored (`false`). */
  readonly isCut?: boolean;
}

export type SettledCallback = Pick<Payload<'callback_settled'>, 'key' | 'outcome'>;

export interface QueuedMessage extends Payload<'user_message'> {
  readonly seq: Seq;
  /** For the message of a late answer: the persons who requested the turn of its question (TEAM2). */
  readonly requesters?: readonly string[];
  /** Whether it is the hidden message of a late answer to a hidden call (TEAM1). */
  readonly isHidden?: boolean;
  /** In a snapshot: whether parts of it are missing (`true`), or were and have been restored (`false`). */
  readonly isCut?: boolean;
}

/** A late answer whose message is not written yet, because its hook is still deciding (INT9). */
export interface LateAnswer {
  readonly request: InteractionRequest;
  readonly response: Payload<'interaction_response'>;
  readonly timestamp: string;
  /** The persons who requested the turn of the question (TEAM2). */
  readonly requesters?: readonly string[];
}

/** Everything unfinished in a session at `seq`. Its size depends on the work in progress, not on the length of the log (EVT3). */
export interface Head {
  readonly seq: Seq;
  readonly turn: Turn | null;
  readonly calls: readonly OpenCall[];
  readonly prompts: readonly OpenPrompt[];
  readonly queue: readonly QueuedMessage[];
  readonly lateAnswers: readonly LateAnswer[];
  /** Unsettled prompts that are hidden from this reader (TEAM1). Absent if there are none. */
  readonly hidden?: readonly HiddenPrompt[];
  /** Seq of the first event that hides a call, so that filtering for a reader can start there (TEAM1). */
  readonly hiddenSince?: Seq;
  /** Set in a snapshot from which texts were left out because it was too large (SEC11). */
  readonly isExcerpt?: boolean;
}

export const emptyHead: Head = { seq: 0, turn: null, calls: [], prompts: [], queue: [], lateAnswers: [] };

/** Returns the head after one more event. Pure, and the same function on the server, in tabs, in replay and in tests (EVT3). */
export function reduceHead(head: Head, event: ChatEvent): Head {
  const hidden = asHidden(event);
  if (hidden) return reduceHidden(head, hidden);
  const isHiding = head.hiddenSince === undefined && hidingOf(event) !== undefined;
  const next = isHiding ? { ...head, seq: event.seq, hiddenSince: event.seq } : { ...head, seq: event.seq };
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
          : [...head.queue, queued(head, event)],
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
      return { ...next, turn: head.turn && { ...head.turn, isWritten: true, ...writtenBy(head.turn, event) } };
    case 'tool_call':
      return {
        ...next,
        turn: head.turn && {
          ...head.turn,
          isWritten: false,
          ...addRequester(head.turn, event.payload.by),
          ...writtenBy(head.turn, event),
        },
        calls: [...head.calls, openCall(head, event)],
      };
    case 'tool_result':
      return { ...next, calls: head.calls.filter((call) => call.toolCallId !== event.payload.toolCallId) };
    case 'interaction_request':
      return {
        ...next,
        calls: countPrompt(head.calls, event.payload),
        prompts: noteRequesters(reduceOpenPrompts(head.prompts, event), head, event),
      };
    case 'interaction_vote':
    case 'interaction_comment':
    case 'interaction_escalated':
    case 'interaction_expired':
    case 'interaction_pending':
    case 'interaction_closed':
      return { ...next, prompts: reduceOpenPrompts(head.prompts, event) };
    case 'interaction_response':
      return {
        ...next,
        calls: markAnswered(noteEditor(head.calls, event.payload), event.payload.toolCallId),
        prompts: reduceOpenPrompts(head.prompts, event), // mutant: claim
        lateAnswers: addLate(head, event),
      };
    case 'callback_settled':
      return { ...next, calls: settleCallback(head.calls, event.payload) };
    case 'session_changed':
    case 'error':
      return next;
    default:
      event satisfies never; // an event of a later release only advances `seq` (EVT5)
      return next;
  }
}

function writtenBy(
  { written, messages = 0 }: Turn,
  { responseId }: Pick<ChatEvent, 'responseId'>,
): Pick<Turn, 'written' | 'messages'> {
  if (responseId === undefined || responseId === written) return {};
  return { written: responseId, messages: messages + 1 };
}

/** Returns the head after an event that was hidden from its reader: nothing waits for them, but what is unfinished is known. */
function reduceHidden(head: Head, event: HiddenEvent): Head {
  const { toolCallId, interactionId = '' } = event.payload;
  const next = { ...head, seq: event.seq };
  switch (event.type) {
    case 'tool_call': {
      const { turnId, responseId, seq } = event;
      const call = hideCall({ toolCallId, turnId, responseId, seq });
      const turn = head.turn && { ...head.turn, isWritten: false, ...writtenBy(head.turn, event) };
      return { ...next, turn, calls: [...head.calls, call] };
    }
    case 'tool_result':
      return { ...next, calls: head.calls.filter((call) => call.toolCallId !== toolCallId) };
    case 'user_message':
    case 'message_queued': {
      const messageId = nameLateMessage(interactionId);
      const queue = without(head.queue, messageId);
      const lateAnswers = withoutLate(head.lateAnswers, messageId);
      if (event.type === 'user_message') return { ...next, queue, lateAnswers };
      return { ...next, queue: [...queue, hideMessage(interactionId, event.seq)], lateAnswers };
    }
    default:
      return isStateEvent(event.type) ? hidePrompt(next, event, stateAfter[event.type]) : next;
  }
}

/** Hides a call from now on, and drops all that was known of it. */
function hidePrompt(head: Head, { payload }: HiddenEvent, state: PromptState): Head {
  const { toolCallId, interactionId = '' } = payload;
  const known = head.prompts.flatMap(({ request, state }) =>
    request.toolCallId === toolCallId ? [{ toolCallId, interactionId: request.interactionId, state }] : [],
  );
  const others = [...(head.hidden ?? []), ...known].filter((prompt) => prompt.interactionId !== interactionId);
  const isSettled = state === 'answered' || state === 'closed';
  const hidden = isSettled ? others : [...others, { toolCallId, interactionId, state }];
  const { hidden: _, ...rest } = head;
  return {
    ...rest,
    calls: head.calls.map((call) => (call.toolCallId === toolCallId ? hideCall(call) : call)),
    prompts: head.prompts.filter(({ request }) => request.toolCallId !== toolCallId),
    ...(hidden.length > 0 && { hidden }),
  };
}

export function findCall(head: Head, id: ToolCallId): OpenCall | undefined {
  return head.calls.find((call) => call.toolCallId === id);
}

export function findPrompt(head: Head, id: InteractionId): OpenPrompt | undefined {
  return findById(head.prompts, id);
}

/** Returns the persons who requested what a call does: those of its turn, and its editors (TEAM2). */
export function requestersOf(head: Head, callId: ToolCallId | undefined): readonly string[] | undefined {
  const editedBy = editorsOf(head, callId);
  const asked = head.turn?.requesters;
  return editedBy ? [...new Set([...(asked ?? []), ...editedBy])] : asked;
}

function editorsOf(head: Head, callId: ToolCallId | undefined): readonly string[] | undefined {
  return callId === undefined ? undefined : findCall(head, callId)?.editedBy;
}

/** Returns what determines who may answer a prompt of this call, including its requesters, who may be excluded (TEAM2). */
export function askedIn(head: Head, { audience, risk }: Asked, callId: ToolCallId | undefined): Asked {
  const requesters = requestersOf(head, callId);
  return { audience, risk, ...(requesters && { requesters: [...requesters] }) };
}

/** Whether the turn waits for a person. Pending prompts do not block it (WEB6). */
export function isWaiting(head: Head): boolean {
  const prompts = head.hidden ? [...head.prompts, ...head.hidden] : head.prompts;
  return head.turn !== null && prompts.some((prompt) => prompt.state !== 'pending');
}

export type SessionStatus = 'idle' | 'running' | 'waiting';

/** Returns the status. A late answer whose hook is running counts as running, so that a restart finds the session. */
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

/** Makes a queued message. For a late answer the head still knows the requesters, because the answer is folded just before. */
function queued(head: Head, { payload, seq }: ChatEvent<'message_queued'>): QueuedMessage {
  const late = head.lateAnswers.find(({ response }) => nameLateMessage(response.interactionId) === payload.messageId);
  return { ...payload, seq, ...(late?.requesters && { requesters: late.requesters }) };
}

function openCall(head: Head, event: ChatEvent<'tool_call'>): OpenCall {
  const { toolCallId, toolName, args, parsedArgs, authorised, parentToolCallId } = event.payload;
  const { visibility, audience, by, isLive } = event.payload;
  const { turnId, responseId, seq } = event;
  const editedBy = editorsOf(head, parentToolCallId);
  const inside = parentToolCallId === undefined ? {} : { parentToolCallId, ...(editedBy && { editedBy }) };
  const hiding = visibility && { visibility, ...(audience && { audience }) };
  return {
    toolCallId,
    toolName,
    args,
    ...(parsedArgs !== undefined && { parsedArgs }),
    authorised,
    turnId,
    responseId,
    seq,
    asked: 0,
    ...(by && { by }),
    ...(isLive && { isLive }),
    ...inside,
    ...hiding,
  };
}

/** Adds the caller of an outside call to the requesters, like the sender of a message (TEAM2). */
function addRequester({ requesters = [] }: Turn, by: Actor | undefined): Pick<Turn, 'requesters'> {
  return by ? { requesters: [...new Set([...requesters, personOf(by)])] } : {};
}

/** Counts the prompts of a call. Counting continues after a restart, so no id `<toolCallId>.<n>` is used twice (INT2). */
function countPrompt(calls: readonly OpenCall[], request: InteractionRequest): readonly OpenCall[] {
  const { toolCallId, interactionId, visibility, audience, risk } = request;
  const n = Number(interactionId.slice(toolCallId.length + 1));
  return calls.map((call) => {
    if (call.toolCallId !== toolCallId || (n <= call.asked && !visibility)) return call;
    return { ...call, asked: Math.max(n, call.asked), ...(visibility && { visibility, audience, risk }) };
  });
}

/** Stores the requesters with a prompt, because it may outlive its turn and its late answer then starts another (TEAM2). */
function noteRequesters(
  prompts: readonly OpenPrompt[],
  head: Head,
  { seq, payload }: ChatEvent<'interaction_request'>,
): readonly OpenPrompt[] {
  const requesters = requestersOf(head, payload.toolCallId);
  return requesters ? prompts.map((prompt) => (prompt.seq === seq ? { ...prompt, requesters } : prompt)) : prompts;
}

function noteEditor(
  calls: readonly OpenCall[],
  { toolCallId, editedArgs, by }: Payload<'interaction_response'>,
): readonly OpenCall[] {
  if (editedArgs === undefined) return calls;
  const person = personOf(by);
  return calls.map((call) =>
    call.toolCallId === toolCallId ? { ...call, editedBy: [...new Set([...(call.editedBy ?? []), person])] } : call,
  );
}

function settleCallback(
  calls: readonly OpenCall[],
  { toolCallId, key, outcome }: Payload<'callback_settled'>,
): readonly OpenCall[] {
  return calls.map((call) =>
    call.toolCallId === toolCallId ? { ...call, callbacks: [...(call.callbacks ?? []), { key, outcome }] } : call,
  );
}

function markAnswered(calls: readonly OpenCall[], id: ToolCallId): readonly OpenCall[] {
  const isOutside = calls.some((call) => call.toolCallId === id && call.by);
  return isOutside ? calls.map((call) => (call.toolCallId === id ? { ...call, isAnswered: true } : call)) : calls;
}

function addLate(head: Head, event: ChatEvent<'interaction_response'>): readonly LateAnswer[] {
  const prompt = findPrompt(head, event.payload.interactionId);
  if (!prompt || !event.payload.late || event.payload.action === 'cancel') return head.lateAnswers;
  const { request, requesters } = prompt;
  const asked = requesters && { requesters };
  return [...head.lateAnswers, { request, response: event.payload, timestamp: event.timestamp, ...asked }];
}

function withoutLate(answers: readonly LateAnswer[], messageId: MessageId): readonly LateAnswer[] {
  return answers.filter((answer) => nameLateMessage(answer.response.interactionId) !== messageId);
}

function without(queue: readonly QueuedMessage[], messageId: MessageId): readonly QueuedMessage[] {
  return queue.filter((message) => message.messageId !== messageId);
}
