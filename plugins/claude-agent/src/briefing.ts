import {
  type CallResult,
  type ChatEvent,
  type FileReference,
  hasVisible,
  isRecord,
  noUsage,
  type Payload,
  type ResponseId,
  type TokenUsage,
  type TurnInput,
  wordsOfMessage,
} from '@parleyhq/core';
import { chooseFolderName } from './chosen-folder.ts';
import type { CallOutput } from './pending-call.ts';
import type { UserBlock } from './sdk.ts';

/** The position of a message in the SDK's own files; stored as the agent's record of the message. */
export type MessageRecord = {
  readonly agent: 'claude-agent';
  readonly sessionId: string;
  /** The message's last entry. */
  readonly uuid: string;
  /** Tokens used by the turn so far. */
  readonly usage: TokenUsage;
};

export interface Result extends CallOutput {
  readonly toolName: string;
  readonly toolCallId: string;
  /** The end of `text` that only Parley knows, which a call that the SDK has run lacks: what people said and attached. */
  readonly words?: string;
  /** What people attached to the answers of the call's prompts. */
  readonly files?: readonly FileReference[];
}

/** The part of the log that the model does not know yet. */
export interface Briefing {
  /** The newest message that the SDK wrote in this session, if any. */
  readonly point: MessageRecord | undefined;
  /** The results of that message's calls, in their order. */
  readonly results: readonly Result[];
  /** The blocks to send for events after that message. */
  readonly news: readonly UserBlock[];
  /** What people attached to the messages among these events. */
  readonly newFiles: readonly FileReference[];
  /** The whole conversation as text, for an SDK session that does not know it. */
  readonly retelling: readonly UserBlock[];
  /** What people attached to all messages. */
  readonly allFiles: readonly FileReference[];
  /** Tokens used by the turn so far. */
  readonly usage: TokenUsage;
}

/** Collects the input for a process, from the log and its records alone (DUR7). */
export async function readBriefing(turn: TurnInput): Promise<Briefing> {
  const events = (await turn.read()).filter(isOwn).filter(isVisible);
  const last = await findLast(turn, events);
  const calls = events.filter((event) => event.type === 'tool_call' && event.responseId === last?.responseId);
  const results = new Map(events.flatMap((event) => (event.type === 'tool_result' ? [toResult(event.payload)] : [])));
  const isOfTurn = events.some((event) => event.responseId === last?.responseId && event.turnId === turn.turnId);
  const begin = last ? events.findLastIndex((event) => event.responseId === last.responseId) + 1 : 0;
  return {
    point: last?.record,
    results: calls.flatMap(({ payload }) => results.get((payload as Payload<'tool_call'>).toolCallId) ?? []),
    news: events.slice(begin).flatMap(toNews),
    newFiles: events.slice(begin).flatMap(filesOf),
    retelling: retell(events),
    allFiles: events.flatMap(filesOf),
    usage: last && isOfTurn ? last.record.usage : noUsage,
  };
}

/** Old logs may contain blank messages, which the API rejects (AGT8). */
function isVisible(event: ChatEvent): boolean {
  return event.type !== 'user_message' || hasVisible(wordsOfMessage(event.payload));
}

/** The calls of a sub-agent are not part of this conversation, nor is the choice of the folder. */
function isOwn(event: ChatEvent): boolean {
  if (event.type !== 'tool_call' && event.type !== 'tool_result') return true;
  if (event.payload.toolName === chooseFolderName) return false;
  return event.type === 'tool_result' || event.payload.parentToolCallId === undefined;
}

async function findLast(
  turn: TurnInput,
  events: readonly ChatEvent[],
): Promise<{ readonly responseId: ResponseId; readonly record: MessageRecord } | undefined> {
  const ids = new Set(events.flatMap(({ type, responseId }) => (isWritten(type) && responseId ? [responseId] : [])));
  for (const responseId of [...ids].reverse()) {
    const record = await turn.record(responseId);
    if (isRecord(record) && record.agent === 'claude-agent') return { responseId, record: record as MessageRecord };
  }
  return undefined;
}

function isWritten(type: ChatEvent['type']): boolean {
  return type === 'assistant_done' || type === 'thinking_done' || type === 'tool_call';
}

/** Formats a result for the model. */
export function textOfResult(returned: CallResult): CallOutput {
  const note = returned.note === undefined ? '' : `\n\n(${returned.note})`;
  if ('error' in returned) return { isError: true, text: `${returned.error.code}: ${returned.error.message}${note}` };
  const { result } = returned;
  return { isError: false, text: `${typeof result === 'string' ? result : JSON.stringify(result)}${note}` };
}

function toResult(payload: Payload<'tool_result'>): [string, Result] {
  const { toolCallId, toolName, result = null, error, note, files } = payload;
  const outcome = error ? { error } : { result };
  const output = textOfResult(note === undefined ? outcome : { ...outcome, note });
  const words = note === undefined ? {} : { words: note };
  return [toolCallId, { toolCallId, toolName, ...output, ...words, ...(files && { files }) }];
}

/** Converts an event since the last message: people's messages, interrupted text of the model, and text of other agents. */
function toNews(event: ChatEvent): UserBlock[] {
  if (event.type === 'user_message') return [textOf(wordsOfMessage(event.payload))];
  if (event.type !== 'assistant_done') return [];
  const whose = event.payload.interrupted ? 'You were stopped while writing this' : 'Another agent wrote';
  return [textOf(`(${whose}: ${event.payload.text})`)];
}

function filesOf(event: ChatEvent): readonly FileReference[] {
  return event.type === 'user_message' ? (event.payload.files ?? []) : [];
}

function retell(events: readonly ChatEvent[]): UserBlock[] {
  const asked = events.findLast(({ type }) => type === 'user_message') as ChatEvent<'user_message'> | undefined;
  const lines = events.filter((event) => event !== asked).flatMap(toLine);
  const news = asked ? [textOf(wordsOfMessage(asked.payload))] : [];
  if (!events.some(({ type }) => isWritten(type))) return events.flatMap(toNews);
  return [textOf(`The conversation so far:\n\n${lines.join('\n\n')}`), ...news];
}

function toLine(event: ChatEvent): string[] {
  switch (event.type) {
    case 'user_message':
      return [`Person: ${wordsOfMessage(event.payload)}`];
    case 'assistant_done':
      return [`You: ${event.payload.text}`];
    case 'tool_call':
      return [`You called ${event.payload.toolName} with ${JSON.stringify(event.payload.args)}`];
    case 'tool_result':
      return [`${event.payload.toolName} returned: ${toResult(event.payload)[1].text}`];
    default:
      return [];
  }
}

function textOf(text: string): UserBlock {
  return { type: 'text', text };
}

/** The input of the next process: results first, as the API requires. */
export function toInput({ results, news }: Pick<Briefing, 'results' | 'news'>): UserBlock[] {
  const returned = results.map(({ toolCallId, text, isError }): UserBlock => {
    const block = { type: 'tool_result', tool_use_id: toolCallId, content: text } as const;
    return isError ? { ...block, is_error: true } : block;
  });
  return [...returned, ...news];
}
