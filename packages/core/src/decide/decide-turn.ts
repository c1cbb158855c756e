import type { ResponseId, ToolCallId } from '../basics/id.ts';
import { limits } from '../basics/limits.ts';
import { hasVisible } from '../basics/visible-text.ts';
import type { NewEvent, Payload } from '../log/event.ts';
import { findCall, type Head, type OpenCall, type QueuedMessage } from '../log/head.ts';
import { countBytes } from '../log/open-size.ts';
import { outsideAgent } from '../log/outside.ts';
import type { OpenPrompt } from '../log/prompt-life.ts';
import { stopWords } from '../log/settlement-words.ts';
import { wordsOfMessage } from '../prompt/attachment.ts';
import type { CloseReason } from '../prompt/interaction.ts';
import { personOf } from '../prompt/role.ts';
import {
  accept,
  type Command,
  type Decision,
  type Facts,
  refuse,
  type TurnPlan,
  type WrittenBlock,
} from './command.ts';
import { close } from './decide-prompt.ts';

type CommandOf<Type extends Command['type']> = Extract<Command, { type: Type }>;

/** Refuses a message without visible characters: nobody can answer it, and a model's API would reject it forever (AGT8). */
export function refuseBlank(): Decision {
  const text = 'A message needs a visible character.';
  return refuse('invalid', { fieldErrors: { text } }, text);
}

/** Starts a turn with a message, or queues it for when the running one ends (INT19). */
export function decideSend(head: Head, { message }: CommandOf<'send'>, { plan }: Facts): Decision {
  if (plan.agent === outsideAgent) return refuse('not_supported'); // messages do not reach the outside program (ASK1)
  if (isBlank(message)) return refuseBlank();
  if (head.turn && head.queue.length >= limits.queuedMessages) return refuse('queue_full');
  if (head.turn && !hasRoom(head.queue, message)) return refuse('queue_full', { limit: 'queuedBytes' });
  return accept(...sendOrQueue(head, message, plan));
}

type Words = Pick<Payload<'user_message'>, 'text' | 'files'>;

/** Whether a message says nothing, in words or by files. */
export function isBlank(message: Words): boolean {
  return !hasVisible(wordsOfMessage(message));
}

/** Whether a message fits in the queue. Late answers in it count, but are never refused themselves (INT9). */
export function hasRoom(queue: readonly QueuedMessage[], message: Words): boolean {
  return queue.reduce((sum, queued) => sum + sizeOf(queued), sizeOf(message)) <= limits.queuedBytes;
}

function sizeOf({ text, files }: Words): number {
  return countBytes(text) + (files ? countBytes(JSON.stringify(files)) : 0);
}

/**
 * Starts a turn with a message or queues it. In an outside session no agent reads messages, so a late answer's is only logged
 * (ASK1).
 * @param asked - who requested the turn of the question that the message answers late; for a queued message the head has them
 * (TEAM2)
 */
export function sendOrQueue(
  head: Head,
  message: Payload<'user_message'>,
  plan: TurnPlan,
  asked?: readonly string[],
): readonly NewEvent[] {
  if (plan.agent === outsideAgent) return [{ type: 'user_message', payload: message }];
  return head.turn ? [{ type: 'message_queued', payload: message }] : startTurn(message, plan, asked);
}

function startTurn(
  message: Payload<'user_message'>,
  { turnId, agent, model, owner }: TurnPlan,
  asked: readonly string[] = [],
): readonly NewEvent[] {
  const trigger = message.origin;
  const requesters = [...new Set([...writersOf(message), ...asked])];
  return [
    { type: 'user_message', payload: message, turnId },
    {
      type: 'turn_start',
      payload: { trigger, agent, ...(model !== undefined && { model }), owner, requesters },
      turnId,
    },
  ];
}

/** Returns the author and editors as persons; two tokens of one owner are one person (TEAM2). */
function writersOf({ from, editedBy = [] }: Payload<'user_message'>): string[] {
  return [...(from ? [from] : []), ...editedBy].map(personOf);
}

/**
 * Stores the calls of a message in one append before any of them runs (DUR7). A repeat is accepted without events: after a lost
 * database connection a write that seemed to fail may have been stored.
 */
export function decideWrite(head: Head, { turnId, responseId, blocks, calls }: CommandOf<'write'>): Decision {
  if (head.turn?.turnId !== turnId) return refuse('closed');
  const [first] = calls;
  const isStored = first?.parentToolCallId ? findCall(head, first.toolCallId) : head.turn.written === responseId;
  if (isStored) return accept(); // mutant: written
  const written = blocks.map(
    ({ kind, block, text }): NewEvent => ({
      type: kind === 'text' ? 'assistant_done' : 'thinking_done',
      payload: { block, text },
      turnId,
      responseId,
    }),
  );
  const called = calls.map((payload): NewEvent => ({ type: 'tool_call', payload, turnId, responseId }));
  return accept(...written, ...called);
}

/** Stores the only result of a call. Open prompts of its handler close with it; pending ones stay (INT12). */
export function decideReturn(head: Head, { toolCallId, returned, isOrphaned }: CommandOf<'return'>): Decision {
  const call = findCall(head, toolCallId);
  if (!call) return refuse('closed');
  const isFault = 'error' in returned && returned.error.code !== 'denied'; // a policy may deny what a person is still asked about
  const reason = isOrphaned ? 'orphaned' : isFault ? 'handler_error' : 'cancelled';
  return accept(...closePrompts(head, reason, isHeldBy(toolCallId)), resultOf(call, returned), ...endWithLast(head));
}

/** Ends a turn of outside calls with the last of them (ASK1). */
export function endWithLast({ turn, calls }: Head): readonly NewEvent[] {
  const isLast = turn?.agent === outsideAgent && calls.length === 1;
  return isLast ? [{ type: 'turn_end', payload: { status: 'completed' }, turnId: turn.turnId }] : [];
}

/** Lets another process take over the turn. Announces that text which was streamed but not stored starts over (DUR7). */
export function decideResume(head: Head, { owner, isRewritten, from }: CommandOf<'resume'>): Decision {
  if (!head.turn) return accept();
  if (from !== undefined && head.turn.owner !== from) return refuse('closed');
  const { turnId } = head.turn;
  const resumed: NewEvent = { type: 'turn_resumed', payload: { owner }, turnId };
  const restarted: NewEvent = {
    type: 'error',
    payload: { code: 'stream_restarted', message: 'The server stopped while this was being written. It starts over.' },
    turnId,
  };
  return isRewritten ? accept(resumed, restarted) : accept(resumed);
}

/** Ends everything unfinished in one append. Queued messages are returned to their authors; late answers stay queued (INT11). */
export function decideCancel(head: Head, command: CommandOf<'cancel'>, { plan }: Facts): Decision {
  const { responseId, streamed, usage } = command;
  if (!head.turn) return refuse('no_turn');
  const { turnId } = head.turn;
  const returned = head.queue
    .filter((message) => message.origin === 'user')
    .map(({ messageId }): NewEvent => ({ type: 'message_unqueued', payload: { messageId, reason: 'returned' } }));
  const kept = head.queue.filter((message) => message.origin !== 'user');
  return accept(
    ...keepText(head, streamed, responseId),
    ...endCalls(head, stopWords),
    ...returned,
    { type: 'turn_end', payload: { status: 'cancelled', ...(usage !== undefined && { usage }) }, turnId },
    ...promote(kept, plan),
  );
}

/** Ends the turn and starts the next queued message in one append (INT19). */
export function decideEnd(head: Head, command: CommandOf<'end_turn'>, { plan }: Facts): Decision {
  const { turnId, status, error, usage, responseId, streamed = [] } = command;
  if (head.turn?.turnId !== turnId) return refuse('closed');
  const partial = keepText(head, streamed, responseId);
  const end: NewEvent = {
    type: 'turn_end',
    payload: { status, ...(error && { error }), ...(usage !== undefined && { usage }) },
    turnId,
  };
  const ended = endCalls(head, 'The turn ended with an error before this was done.'); // open calls mean that it failed
  return accept(...partial, ...ended, end, ...promote(head.queue, plan));
}

/** Settles everything open when a session is deleted, including pending prompts (OPS5). */
export function decideSessionEnd(head: Head): Decision {
  const end: readonly NewEvent[] = head.turn
    ? [{ type: 'turn_end', payload: { status: 'cancelled' }, turnId: head.turn.turnId }]
    : [];
  const prompts = closePrompts(head, 'session_ended', () => true);
  return accept(...prompts, ...cancelCalls(head, 'The session was deleted.'), ...end);
}

/** Stores the text streamed so far, unless the whole message is already stored; drops thinking. */
function keepText(
  { turn }: Head,
  streamed: readonly WrittenBlock[],
  responseId: ResponseId | undefined,
): readonly NewEvent[] {
  if (!turn || (responseId !== undefined && turn.written === responseId)) return [];
  return streamed
    .filter(({ kind, text }) => kind === 'text' && text !== '')
    .map(({ block, text }) => ({
      type: 'assistant_done',
      payload: { block, text, interrupted: true },
      turnId: turn.turnId,
      responseId,
    }));
}

function promote(queue: readonly QueuedMessage[], plan: TurnPlan): readonly NewEvent[] {
  const [next] = queue;
  if (!next) return [];
  const { seq: _, requesters, ...message } = next;
  return startTurn(message, plan, requesters);
}

/** Cancels the calls and prompts that the turn leaves open. @param message - reason, for the model and for people */
function endCalls(head: Head, message: string): readonly NewEvent[] {
  return [...closePrompts(head, 'cancelled', (prompt) => prompt.state !== 'pending'), ...cancelCalls(head, message)];
}

function cancelCalls(head: Head, message: string): readonly NewEvent[] {
  return head.calls.map((call) => resultOf(call, { error: { code: 'cancelled', message } }));
}

function closePrompts(head: Head, reason: CloseReason, isMeant: (prompt: OpenPrompt) => boolean): readonly NewEvent[] {
  return head.prompts.filter(isMeant).map(({ request }) => close(head, request.interactionId, reason));
}

function isHeldBy(toolCallId: ToolCallId): (prompt: OpenPrompt) => boolean {
  return (prompt) => prompt.request.toolCallId === toolCallId && prompt.state !== 'pending';
}

export function resultOf(call: OpenCall, returned: CommandOf<'return'>['returned']): NewEvent {
  const { toolCallId, toolName, turnId, responseId } = call;
  return { type: 'tool_result', payload: { toolCallId, toolName, ...returned }, turnId, responseId };
}
