import {
  type InteractionId,
  nameLateMessage,
  type ResponseId,
  type Seq,
  type ToolCallId,
  type TurnId,
} from '../basics/id.ts';
import type { Presentation } from '../prompt/interaction.ts';
import type { InteractionRequest } from '../prompt/interaction-request.ts';
import type { ChatEvent, Payload } from './event.ts';
import { asHidden, type HiddenEvent } from './hidden.ts';
import { escalateRequest, type PromptEvent, type PromptState, type stateAfter, stateOfEvents } from './prompt-life.ts';
import { castVote, strikeVotes, type Vote } from './vote.ts';

/** A payload with its event's position in the log. */
export interface Placed<T> {
  readonly seq: Seq;
  readonly timestamp: string;
  readonly payload: T;
}

interface Base {
  readonly key: string;
  /** Position in the transcript. */
  readonly seq: Seq;
  readonly timestamp: string;
  readonly turnId: TurnId | undefined;
  readonly responseId: ResponseId | undefined;
}

/** A person's message. Without `sent` it is queued; with `unqueued` it was taken back. */
export interface MessageItem extends Base {
  readonly kind: 'message';
  readonly queued?: Placed<Payload<'message_queued'>>;
  readonly sent?: Placed<Payload<'user_message'>>;
  readonly unqueued?: Placed<Payload<'message_unqueued'>>;
  /** For the message of a late answer to a hidden call: whether it was sent (TEAM1). */
  readonly hidden?: 'queued' | 'sent';
}

export interface TextItem extends Base {
  readonly kind: 'text';
  readonly text: Placed<Payload<'assistant_done'>>;
}

export interface ThinkingItem extends Base {
  readonly kind: 'thinking';
  readonly thinking: Placed<Payload<'thinking_done'>>;
}

/** A tool call; it is running if it has no `result`. A page of the log may contain only one of the two. */
export interface ToolItem extends Base {
  readonly kind: 'tool';
  readonly call?: Placed<Payload<'tool_call'>>;
  readonly result?: Placed<Payload<'tool_result'>>;
  /** Settled callbacks, in order (PLG11). */
  readonly callbacks?: readonly Placed<Payload<'callback_settled'>>[];
  /** Whether it is hidden from this reader: what was known of it before is dropped (TEAM1). */
  readonly isHidden?: boolean;
}

/**
 * A prompt and its outcome. Each part is one event, and there is at most one of each (INT3), except for votes, comments
 * and escalations.
 */
export interface InteractionItem extends Base {
  readonly kind: 'interaction';
  readonly interactionId: InteractionId;
  readonly request?: Placed<Payload<'interaction_request'>>;
  readonly expired?: Placed<Payload<'interaction_expired'>>;
  readonly pending?: Placed<Payload<'interaction_pending'>>;
  readonly response?: Placed<Payload<'interaction_response'>>;
  readonly closed?: Placed<Payload<'interaction_closed'>>;
  /** All votes that did not decide, changed ones included, in order (TEAM3). */
  readonly votes?: readonly Placed<Payload<'interaction_vote'>>[];
  /** What was said under it, in order (REV4). */
  readonly comments?: readonly Placed<Payload<'interaction_comment'>>[];
  /** The steps at which more people were asked (TEAM5). */
  readonly escalations?: readonly Placed<Payload<'interaction_escalated'>>[];
}

/** A prompt whose request is loaded. */
export type LoadedPrompt = InteractionItem & Required<Pick<InteractionItem, 'request'>>;

/** The start and end of a turn: its agent, its cost, and why it stopped. */
export interface TurnItem extends Base {
  readonly kind: 'turn';
  readonly start?: Placed<Payload<'turn_start'>>;
  readonly resumed?: Placed<Payload<'turn_resumed'>>;
  readonly end?: Placed<Payload<'turn_end'>>;
}

export interface ChangeItem extends Base {
  readonly kind: 'change';
  readonly change: Placed<Payload<'session_changed'>>;
}

export interface ErrorItem extends Base {
  readonly kind: 'error';
  readonly error: Placed<Payload<'error'>>;
}

/** An event of a type that this release does not know, kept and shown verbatim (EVT5). */
export interface OpaqueItem extends Base {
  readonly kind: 'opaque';
  readonly event: ChatEvent;
}

export type Item =
  | MessageItem
  | TextItem
  | ThinkingItem
  | ToolItem
  | InteractionItem
  | TurnItem
  | ChangeItem
  | ErrorItem
  | OpaqueItem;

/** The transcript by item key. `listItems` puts it in order. */
export type Items = ReadonlyMap<string, Item>;

export const emptyItems: Items = new Map();

/** Returns the transcript after more events. Copies once per batch, so a page takes linear time. */
export function reduceItems(items: Items, events: Iterable<ChatEvent>): Items {
  const next = new Map(items);
  for (const event of events) put(next, toItem(event));
  return next;
}

/** Merges the transcripts of two adjoining pages of the log (EVT3). */
export function mergeItems(earlier: Items, later: Items): Items {
  const merged = new Map(earlier);
  for (const item of later.values()) put(merged, item);
  return merged;
}

/** Returns the items in reading order. */
export function listItems(items: Items): readonly Item[] {
  return [...items.values()].sort((a, b) => a.seq - b.seq);
}

/** Adds an item. Parts never collide, so pages can be merged in any order. */
function put(items: Map<string, Item>, item: Item): void {
  const known = items.get(item.key);
  items.set(item.key, known ? join(known, item) : item);
}

function join(earlier: Item, later: Item): Item {
  const joined = { ...earlier, ...later, ...listsOf(earlier, later), ...placeOf(earlier, later) } as Item;
  if (joined.kind === 'tool' && joined.isHidden) {
    const { call: _, result: __, callbacks: ___, ...rest } = joined; // known from before it was hidden
    return rest;
  }
  const mark = markOf(joined);
  return mark ? { ...joined, seq: mark.seq, timestamp: mark.timestamp } : joined;
}

/** Merges the parts that may occur several times, because each page of the log may contain some. */
function listsOf(
  earlier: Item,
  later: Item,
): Pick<InteractionItem, 'votes' | 'comments' | 'escalations'> | Pick<ToolItem, 'callbacks'> {
  if (earlier.kind === 'tool' && later.kind === 'tool') {
    const callbacks = mergePlaced(earlier.callbacks, later.callbacks);
    return callbacks ? { callbacks } : {};
  }
  if (earlier.kind !== 'interaction' || later.kind !== 'interaction') return {};
  const votes = mergePlaced(earlier.votes, later.votes);
  const escalations = mergePlaced(earlier.escalations, later.escalations);
  const comments = mergePlaced(earlier.comments, later.comments);
  return { ...(votes && { votes }), ...(comments && { comments }), ...(escalations && { escalations }) };
}

function mergePlaced<Part extends Placed<unknown>>(
  a: readonly Part[] | undefined,
  b: readonly Part[] | undefined,
): readonly Part[] | undefined {
  if (!a || !b) return a ?? b;
  const bySeq = new Map([...a, ...b].map((part) => [part.seq, part]));
  return [...bySeq.values()].sort((one, other) => one.seq - other.seq);
}

/** Returns the part that sets an item's position, if not the first: `sent` for a queued message, `end` for a turn. */
function markOf(item: Item): Placed<unknown> | undefined {
  if (item.kind === 'message') return item.sent;
  return item.kind === 'turn' ? item.end : undefined;
}

function placeOf(earlier: Item, later: Item): Pick<Base, 'seq' | 'timestamp' | 'turnId' | 'responseId'> {
  const first = earlier.seq <= later.seq ? earlier : later;
  const second = first === earlier ? later : earlier;
  return {
    seq: first.seq,
    timestamp: first.timestamp,
    turnId: first.turnId ?? second.turnId,
    responseId: first.responseId ?? second.responseId,
  };
}

function toItem(event: ChatEvent): Item {
  const { seq, timestamp, turnId, responseId } = event;
  const base = { seq, timestamp, turnId, responseId };
  const hidden = asHidden(event);
  if (hidden) return { ...base, ...toHidden(hidden) };
  const place = <T>(payload: T): Placed<T> => ({ seq, timestamp, payload });
  switch (event.type) {
    case 'user_message':
      return { ...base, kind: 'message', key: `message:${event.payload.messageId}`, sent: place(event.payload) };
    case 'message_queued':
      return { ...base, kind: 'message', key: `message:${event.payload.messageId}`, queued: place(event.payload) };
    case 'message_unqueued':
      return { ...base, kind: 'message', key: `message:${event.payload.messageId}`, unqueued: place(event.payload) };
    case 'turn_start':
      return { ...base, kind: 'turn', key: `turn:${turnId}`, start: place(event.payload) };
    case 'turn_resumed':
      return { ...base, kind: 'turn', key: `turn:${turnId}`, resumed: place(event.payload) };
    case 'turn_end':
      return { ...base, kind: 'turn', key: `turn:${turnId}`, end: place(event.payload) };
    case 'assistant_done':
      return { ...base, kind: 'text', key: `text:${seq}`, text: place(event.payload) };
    case 'thinking_done':
      return { ...base, kind: 'thinking', key: `thinking:${seq}`, thinking: place(event.payload) };
    case 'tool_call':
      return { ...base, kind: 'tool', key: `tool:${event.payload.toolCallId}`, call: place(event.payload) };
    case 'tool_result':
      return { ...base, kind: 'tool', key: `tool:${event.payload.toolCallId}`, result: place(event.payload) };
    case 'interaction_request':
    case 'interaction_expired':
    case 'interaction_pending':
    case 'interaction_response':
    case 'interaction_closed':
      return { ...base, ...promptOf(event), [parts[event.type]]: place(event.payload) };
    case 'interaction_vote':
      return { ...base, ...promptOf(event), votes: [place(event.payload)] };
    case 'interaction_comment':
      return { ...base, ...promptOf(event), comments: [place(event.payload)] };
    case 'interaction_escalated':
      return { ...base, ...promptOf(event), escalations: [place(event.payload)] };
    case 'callback_settled':
      return { ...base, kind: 'tool', key: `tool:${event.payload.toolCallId}`, callbacks: [place(event.payload)] };
    case 'session_changed':
      return { ...base, kind: 'change', key: `change:${seq}`, change: place(event.payload) };
    case 'error':
      return { ...base, kind: 'error', key: `error:${seq}`, error: place(event.payload) };
    default:
      event satisfies never;
      return { ...base, kind: 'opaque', key: `opaque:${seq}`, event };
  }
}

/** Makes one item of all events of a hidden call, without its tool name and result (TEAM1). */
function toHidden({ type, payload: { toolCallId, interactionId = '' } }: HiddenEvent) {
  if (type !== 'user_message' && type !== 'message_queued')
    return { kind: 'tool', key: `tool:${toolCallId}`, isHidden: true } as const;
  const hidden = type === 'user_message' ? 'sent' : 'queued';
  return { kind: 'message', key: `message:${nameLateMessage(interactionId)}`, hidden } as const;
}

function promptOf({ payload: { interactionId } }: PromptEvent) {
  return { kind: 'interaction', key: `interaction:${interactionId}`, interactionId } as const;
}

/** Member of an item for each event of its prompt. */
const parts = {
  interaction_request: 'request',
  interaction_expired: 'expired',
  interaction_pending: 'pending',
  interaction_response: 'response',
  interaction_closed: 'closed',
} as const satisfies Record<keyof typeof stateAfter, keyof InteractionItem>;

/** Returns the state of a prompt. */
export function stateOf(item: InteractionItem): PromptState {
  return stateOfEvents((type) => item[parts[type]] !== undefined);
}

/** Returns the request with its current audience, including escalations (TEAM5). */
export function requestOf(item: LoadedPrompt): InteractionRequest;
export function requestOf(item: InteractionItem): InteractionRequest | undefined;
export function requestOf({ request, escalations = [] }: InteractionItem): InteractionRequest | undefined {
  return request && escalations.reduce((asked, { payload }) => escalateRequest(asked, payload), request.payload);
}

/** Returns the valid votes, one per person; excludes those that the decision struck (TEAM3). */
export function votesOf({ votes = [], response }: InteractionItem): readonly Vote[] {
  const cast = votes.reduce<readonly Vote[]>((all, vote) => castVote(all, vote), []);
  return strikeVotes(cast, response?.payload.struck);
}

/** Returns where a prompt is shown; in its tool's block by default. */
export function presentationOf(item: InteractionItem): Presentation {
  return item.request?.payload.presentation ?? 'tool';
}

/**
 * Returns the calls that are hidden from this reader, so that prompts of theirs which are known from before are not shown
 * (TEAM1).
 */
export function findHiddenCalls(items: Iterable<Item>): ReadonlySet<ToolCallId> {
  const keys = [...items].flatMap((item) => (item.kind === 'tool' && item.isHidden ? item.key : []));
  return new Set(keys.map((key) => key.slice('tool:'.length)));
}

/** Whether there is anything to show: a page may contain fragments whose beginning is on an earlier page. */
export function isVisible(item: Item): boolean {
  switch (item.kind) {
    case 'message':
      return Boolean(item.sent ?? item.queued ?? item.hidden) && !item.unqueued;
    case 'tool':
      return Boolean(item.call ?? item.isHidden);
    case 'interaction':
      return Boolean(item.request);
    case 'turn':
      return (
        item.end !== undefined && (item.end.payload.status !== 'completed' || item.end.payload.usage !== undefined)
      );
    default:
      return true;
  }
}
