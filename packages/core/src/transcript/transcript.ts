import type { ChatEvent } from '../log/event.ts';
import { hiddenWords } from '../log/hidden-words.ts';
import {
  emptyItems,
  findHiddenCalls,
  type InteractionItem,
  type Item,
  listItems,
  type MessageItem,
  reduceItems,
  type ToolItem,
} from '../log/items.ts';
import type { Session } from '../log/session.ts';
import { describeCallback, nameRuleScope, wordFor } from '../log/settlement-words.ts';
import { nameOf } from '../prompt/interaction.ts';
import { argsOf } from '../schema/call-args.ts';
import { at, type Block, blocks, code, type Entry, fact, type Line, line, trace } from './line.ts';
import { describeFiles, describeLateAnswer, describePrompt } from './prompt-entry.ts';
import { describeActor } from './words.ts';

/** A session as a document, to be rendered as Markdown or HTML (RPL5). */
export interface Transcript {
  readonly title: string;
  readonly facts: readonly Line[];
  readonly entries: readonly Entry[];
}

type About = Pick<Session, 'id' | 'title' | 'createdAt'>;

/** Builds a transcript with every event of the log once: prompts within their call, everything else in log order. */
export function makeTranscript(session: About, events: readonly ChatEvent[], exportedAt: string): Transcript {
  const all = listItems(reduceItems(emptyItems, events));
  const hidden = findHiddenCalls(all);
  const items = all.filter((item) => item.kind !== 'interaction' || !hidden.has(callOf(item)));
  const context = gather(items, events);
  const entries = items.flatMap((item) => describe(item, context));
  const last = events.at(-1);
  return {
    title: session.title,
    facts: [
      line`Session ${session.id}, begun at ${at(session.createdAt)}`,
      line`${events.length} events${last ? line`, the last at ${at(last.timestamp)}` : []}; exported at ${at(exportedAt)}`,
    ],
    entries: [...entries, ...events.flatMap(describeTurnMark)].sort((a, b) => a.seq - b.seq),
  };
}

interface Context {
  readonly promptsOf: ReadonlyMap<string, readonly InteractionItem[]>;
  readonly calls: ReadonlySet<string>;
  /** Agents by turn. */
  readonly agents: ReadonlyMap<string, string>;
  /** Times at which queued messages were edited, by message id. */
  readonly edits: ReadonlyMap<string, readonly string[]>;
}

function gather(items: readonly Item[], events: readonly ChatEvent[]): Context {
  const promptsOf = new Map<string, InteractionItem[]>();
  const calls = new Set<string>();
  const agents = new Map<string, string>();
  const edits = new Map<string, string[]>();
  for (const item of items) {
    if (item.kind === 'tool' && item.call) calls.add(item.call.payload.toolCallId);
    if (item.kind === 'turn' && item.turnId && item.start) agents.set(item.turnId, item.start.payload.agent);
    if (item.kind === 'interaction') push(promptsOf, callOf(item), item);
  }
  for (const event of events) {
    if (event.type === 'message_queued' && event.payload.isEdit) push(edits, event.payload.messageId, event.timestamp);
  }
  return { promptsOf, calls, agents, edits };
}

function push<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

function callOf({ request, response, closed, expired, pending }: InteractionItem): string {
  return (request ?? response ?? closed ?? expired ?? pending)?.payload.toolCallId ?? '';
}

function describe(item: Item, context: Context): readonly Entry[] {
  const { seq, timestamp } = item;
  const agent = context.agents.get(item.turnId ?? '');
  const agentWords = agent === undefined ? ['Agent'] : line`Agent ${agent}`;
  switch (item.kind) {
    case 'message':
      if (item.hidden) return [{ tone: 'note', seq, timestamp, heading: [hiddenWords.message], blocks: [] }];
      return [describeMessage(item, context)];
    case 'text': {
      const { text, interrupted } = item.text.payload;
      const prose: Block = { kind: 'prose', text };
      const heading = interrupted ? line`${agentWords}, interrupted` : agentWords;
      return [{ tone: 'agent', seq, timestamp, heading, blocks: [prose] }];
    }
    case 'thinking': {
      const prose: Block = { kind: 'prose', text: item.thinking.payload.text };
      return [{ tone: 'thinking', seq, timestamp, heading: line`${agentWords}, thinking`, blocks: [prose] }];
    }
    case 'tool':
      if (item.isHidden) return [{ tone: 'note', seq, timestamp, heading: [hiddenWords.call], blocks: [] }];
      return [describeCall(item, context)];
    case 'interaction':
      return [...(context.calls.has(callOf(item)) ? [] : [describePrompt(item)]), ...describeLateAnswer(item)];
    case 'turn':
      return []; // its start, resumptions and end are separate notes
    case 'change': {
      const { title, agent: next, permissionMode, pinned, archived, rule, by } = item.change.payload;
      const changes = blocks(
        title !== undefined && fact(line`Title: ${title}`),
        next !== undefined && fact(line`Agent: ${next}`),
        permissionMode !== undefined && fact(line`Permission mode: ${permissionMode}`),
        pinned !== undefined && fact([pinned ? 'Pinned' : 'No longer pinned']),
        archived !== undefined && fact([archived ? 'Archived' : 'No longer archived']),
        rule && fact(line`Allowed after a suggestion: ${rule.label}, ${nameRuleScope(rule)}`),
        fact(line`By ${describeActor(by)}`),
      );
      return [{ tone: 'note', seq, timestamp, heading: ['Session changed'], blocks: changes }];
    }
    case 'error': {
      const { code: name, message } = item.error.payload;
      return [
        { tone: 'error', seq, timestamp, heading: line`Error ${name}`, blocks: [{ kind: 'prose', text: message }] },
      ];
    }
    case 'opaque': {
      const { type, payload } = item.event as { type: string; payload: unknown };
      const heading = line`Event ${type}, of another release`;
      return [{ tone: 'note', seq, timestamp, heading, blocks: [code(['Payload'], payload)] }];
    }
    default:
      return item satisfies never;
  }
}

function describeMessage({ seq, timestamp, sent, queued, unqueued }: MessageItem, { edits }: Context): Entry {
  const message = sent ?? queued;
  const { text = '', files, origin, interactionId, from, editedBy, messageId = '' } = message?.payload ?? {};
  return {
    tone: 'person',
    seq,
    timestamp,
    heading: origin === 'interaction' ? ['Late answer, sent on as a message'] : ['Person'],
    blocks: blocks(
      from && fact(line`By ${describeActor(from)}`),
      interactionId !== undefined && trace(line`Answers prompt ${interactionId}`),
      queued && fact(line`Queued at ${at(queued.timestamp)}`),
      edits.get(messageId)?.map((when) => fact(line`Changed while it waited, at ${at(when)}`)),
      editedBy?.map((editor) => fact(line`Changed by ${describeActor(editor)}`)),
      unqueued &&
        fact(
          line`${[unqueued.payload.reason === 'removed' ? 'Taken back' : 'Given back']} before it was sent, at ${at(unqueued.timestamp)}`,
        ),
      !sent && !unqueued && fact(['Still waited to be sent when this was exported']),
      describeFiles(files),
      text !== '' && { kind: 'prose', text },
    ),
  };
}

function describeCall({ seq, timestamp, call, result, callbacks = [] }: ToolItem, { promptsOf }: Context): Entry {
  const { toolCallId, toolName } = (call ?? result)?.payload ?? { toolCallId: '', toolName: '' };
  const { plugin, authorised, parentToolCallId, by, from } = call?.payload ?? {};
  const { error, note, grantId, authorised: passed } = result?.payload ?? {};
  const prompts = call ? (promptsOf.get(toolCallId) ?? []) : [];
  return {
    tone: 'tool',
    seq,
    timestamp,
    heading: line`Tool call ${toolName}`,
    blocks: blocks(
      trace(line`Call ${toolCallId}${plugin ? line` of plugin ${plugin.name} ${plugin.version}` : []}`),
      parentToolCallId !== undefined && trace(line`Called by ${parentToolCallId}`),
      by && fact(line`Called by a program of ${nameOf(by)}${from ? line`, which calls itself ${from.name}` : []}`),
      authorised &&
        fact(
          line`Decided by ${[authorised.by]}${authorised.grantId ? line`, grant ${authorised.grantId}` : []}${authorised.interactionId ? line`, prompt ${authorised.interactionId}` : []}${authorised.name ? line` ${authorised.name}: ${authorised.reason ?? ''}` : []}`,
        ),
      call && code(['Arguments'], argsOf(call.payload)),
      prompts.map((prompt): Block => ({ kind: 'entry', entry: describePrompt(prompt) })),
      callbacks.map((callback) =>
        fact(
          line`Callback ${callback.payload.key}: ${[describeCallback(callback.payload.outcome)]}, ${at(callback.timestamp)}`,
        ),
      ),
      result && !error && code(line`Result, ${at(result.timestamp)}`, result.payload.result ?? null),
      result && error && code(line`Failed with ${error.code}, ${at(result.timestamp)}`, error.message),
      grantId !== undefined && fact(line`Its own approval was covered by grant ${grantId}`),
      passed &&
        fact(
          line`Its own approval was passed by ${[passed.by]}${passed.name ? line` ${passed.name}: ${passed.reason ?? ''}` : []}`,
        ),
      note !== undefined && { kind: 'prose', label: ['Note to the model'], text: note },
      !result && fact(['No result when this was exported']),
    ),
  };
}

/** Describes starts, resumptions and ends of turns. Reads events, because the fold keeps only the last resumption of a turn. */
function describeTurnMark({ seq, timestamp, ...event }: ChatEvent): readonly Entry[] {
  const note = (heading: Line, ...parts: readonly (Block | false | undefined)[]): Entry[] => [
    { tone: 'note', seq, timestamp, heading, blocks: blocks(...parts) },
  ];
  switch (event.type) {
    case 'turn_start': {
      const { agent, model, trigger } = event.payload;
      const words = line`Agent ${agent}${model === undefined ? [] : line`, model ${model}`}, set off by ${[wordFor(triggers, trigger)]}`;
      return note(['Turn begins'], fact(words));
    }
    case 'turn_resumed':
      return note(['Turn taken up again after a stop of the server']);
    case 'turn_end': {
      const { status, error, usage } = event.payload;
      return note(
        [`Turn ends: ${status}`],
        error && code(line`Failed with ${error.code}`, error.message),
        usage !== undefined && code(['Usage'], usage),
      );
    }
    default:
      return [];
  }
}

const triggers = { user: 'a message', interaction: 'a late answer', system: 'Parley', outside: 'a program' } as const;
