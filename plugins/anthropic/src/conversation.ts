import {
  addUsage,
  type ChatEvent,
  type FileReference,
  hasVisible,
  isDeeper,
  isRecord,
  noUsage,
  type Payload,
  splitMedia,
  storedDepth,
  type TokenUsage,
  type ToolCallId,
  type TurnInput,
  wordsOfMessage,
} from '@parleyhq/core';
import { chooseAttached, readAttached, toImage } from './attachments.ts';
import { keepNewestImages } from './images.ts';
import type {
  ContentBlock,
  ContentBlockParam,
  MessageParam,
  ToolResultBlockParam,
  ToolUseBlockParam,
} from './messages-client.ts';

/** What the agent records of a message: the provider's blocks as received, with signatures, and their cost. */
export interface MessageRecord {
  readonly agent: 'anthropic';
  readonly content: readonly ContentBlock[];
  readonly usage: TokenUsage;
}

export interface Conversation {
  /** The conversation for the next request, ending with the user's part. */
  readonly messages: readonly MessageParam[];
  /** Usage of this turn's earlier messages. */
  readonly usage: TokenUsage;
  /** Ids of all calls of the session. */
  readonly callIds: ReadonlySet<ToolCallId>;
}

/** A result without the id of its call. */
export type MissingResult = Omit<ToolResultBlockParam, 'tool_use_id'>;

type Written = ChatEvent<'assistant_done'> | ChatEvent<'thinking_done'> | ChatEvent<'tool_call'>;

/**
 * Builds the conversation from the log and the records alone (DUR7). Each message with calls is followed by a user message
 * that starts with all their results, in the order of the calls, then has the images that people attached to their answers, and ends
 * with what people have written since, with the images attached to that.
 * @param missing - stands for the result of a call that has none
 */
export async function readConversation(turn: TurnInput, missing = noResult): Promise<Conversation> {
  const events = await turn.read();
  const written = groupByMessage(events.filter(isWritten));
  const sentIds = new SentIds();
  const results = new Map(events.filter(isResult).map(({ payload }) => [payload.toolCallId, payload]));
  const callIds = new Set(events.flatMap((event) => (event.type === 'tool_call' ? [event.payload.toolCallId] : [])));
  const chosen = chooseAttached(events.flatMap(filesOf));
  const messages: MessageParam[] = [];
  let usage = noUsage;
  for (const event of events) {
    if (event.type === 'user_message' && hasVisible(wordsOfMessage(event.payload)))
      add(messages, 'user', await readMessage(turn, chosen, event.payload));
    if (!isWritten(event)) continue;
    const message = written.get(messageOf(event)) ?? [];
    if (message[0] !== event) continue; // the message was added at its first event
    const record = event.responseId === undefined ? undefined : readRecord(await turn.record(event.responseId));
    if (record && event.turnId === turn.turnId) usage = addUsage(usage, record.usage);
    const calls = message.flatMap((each) => (each.type === 'tool_call' ? [each.payload.toolCallId] : []));
    const content: ContentBlockParam[] = [];
    const returned: ToolResultBlockParam[] = [];
    const attached: ContentBlockParam[] = [];
    for (const block of trim(record?.content ?? message.flatMap(toBlocks))) {
      if (block.type !== 'tool_use') {
        content.push(block);
        continue;
      }
      const toolCallId = calls[returned.length] ?? block.id; // the log stores the calls of a message in order, under its own ids
      const id = sentIds.of(toolCallId);
      content.push(toAcceptable(block, id));
      const result = results.get(toolCallId);
      returned.push(result ? toResult(id, result) : { ...missing, tool_use_id: id });
      attached.push(...(await readAttached(turn, chosen, result?.files)));
    }
    if (messages.length === 0) add(messages, 'user', [textOf(nobodyBegan)]);
    add(messages, 'assistant', content);
    add(messages, 'user', [...returned, ...attached]); // the API wants the results first
  }
  return { messages: keepNewestImages(messages), usage, callIds };
}

function filesOf(event: ChatEvent): readonly FileReference[] {
  return event.type === 'user_message' || event.type === 'tool_result' ? (event.payload.files ?? []) : [];
}

async function readMessage(
  turn: TurnInput,
  chosen: ReadonlySet<string>,
  message: Payload<'user_message'>,
): Promise<ContentBlockParam[]> {
  return [textOf(wordsOfMessage(message)), ...(await readAttached(turn, chosen, message.files))];
}

/** The API requires a user message first, but a session may begin with an agent's message or a program's call. */
const nobodyBegan = '(Nobody has written anything yet.)';

function messageOf({ responseId, id }: ChatEvent): string {
  return responseId ?? id;
}

function groupByMessage(events: readonly Written[]): ReadonlyMap<string, readonly Written[]> {
  const groups = new Map<string, Written[]>();
  for (const event of events) {
    const group = groups.get(messageOf(event));
    if (group) group.push(event);
    else groups.set(messageOf(event), [event]);
  }
  return groups;
}

function isWritten(event: ChatEvent): event is Written {
  if (event.type === 'tool_call') return event.payload.parentToolCallId === undefined; // calls of sub-agents are not this agent's
  return event.type === 'assistant_done' || event.type === 'thinking_done';
}

function isResult(event: ChatEvent): event is ChatEvent<'tool_result'> {
  return event.type === 'tool_result';
}

/** Returns undefined for messages that another agent wrote or that were cut off. */
function readRecord(value: unknown): MessageRecord | undefined {
  return isRecord(value) && value.agent === 'anthropic' ? (value as unknown as MessageRecord) : undefined;
}

/** Rebuilds a message from the log: its text and calls. */
function toBlocks(event: Written): ContentBlockParam[] {
  switch (event.type) {
    case 'assistant_done':
      return [textOf(event.payload.text)];
    case 'thinking_done':
      return []; // thinking without its signature would be refused
    case 'tool_call': {
      const { toolCallId, toolName, args } = event.payload;
      return [{ type: 'tool_use', id: toolCallId, name: toolName, input: args }];
    }
    default:
      return event satisfies never;
  }
}

/** Removes blank text and trailing thinking: the API rejects both in a request, although the model may write them. */
function trim(content: readonly ContentBlockParam[]): readonly ContentBlockParam[] {
  const said = content.filter((block) => block.type !== 'text' || block.text.trim() !== '');
  return said.slice(0, said.findLastIndex(({ type }) => !type.endsWith('thinking')) + 1);
}

/**
 * Repairs a call that the API would reject in this and every later request, whether the model or another agent wrote it (AGT8).
 */
function toAcceptable({ name, input, ...block }: ToolUseBlockParam, id: string): ToolUseBlockParam {
  return {
    ...block,
    id,
    name: toName(name).slice(0, longestName),
    input: isDeeper(input, storedDepth) ? { value: tooDeep } : isRecord(input) ? input : { value: input }, // its result is `invalid_args` (AGT6)
  };
}

const longestName = 128;
const tooDeep = `Left out: it nests deeper than ${storedDepth} levels.`;

function toName(text: string): string {
  return text.replace(/[^\w-]/g, '_') || '_';
}

/**
 * Maps call ids to ids that the API accepts: it rejects some characters and duplicate ids. The same log always gives the same
 * ids.
 */
class SentIds {
  readonly #taken = new Set<string>();
  readonly #counts = new Map<string, number>();

  of(toolCallId: ToolCallId): string {
    const name = toName(toolCallId);
    let sent = name;
    for (let count = this.#counts.get(name) ?? 1; this.#taken.has(sent); sent = `${name}_${count}`) {
      count += 1;
      this.#counts.set(name, count);
    }
    this.#taken.add(sent);
    return sent;
  }
}

/** Stands for the result of a call whose outcome was lost. */
const noResult: MissingResult = { type: 'tool_result', is_error: true, content: 'interrupted: No result is known.' };

function toResult(id: string, { result = null, error, note }: Payload<'tool_result'>): ToolResultBlockParam {
  const block = { type: 'tool_result', tool_use_id: id } as const;
  const noteText = note === undefined ? '' : `\n\n(${note})`;
  if (error) return { ...block, is_error: true, content: `${error.code}: ${error.message}${noteText}` };
  const { media, rest } = splitMedia(result);
  const said = typeof rest === 'string' ? rest : JSON.stringify(rest);
  const words = `${said}${noteText}`;
  const images = media.flatMap((one) => (one.kind === 'image' ? [toImage(one)] : []));
  return { ...block, content: images.length === 0 ? words : [{ type: 'text', text: words }, ...images] };
}

function textOf(text: string): ContentBlockParam {
  return { type: 'text', text };
}

/** Merges consecutive messages of the same role. */
function add(messages: MessageParam[], role: MessageParam['role'], content: readonly ContentBlockParam[]): void {
  if (content.length === 0) return;
  const last = messages.at(-1);
  if (last?.role === role) last.content.push(...content);
  else messages.push({ role, content: [...content] });
}
