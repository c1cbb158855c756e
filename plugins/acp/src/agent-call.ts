import { randomUUID } from 'node:crypto';
import { isRecord, type Json } from '@parleyhq/core';
import { ItemQueue } from './item-queue.ts';
import type { Request } from './request.ts';

/** What a call of the agent is: the tools of Parley that stand for it. `question` is a form or an address without a call. */
export const callKinds = [
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'switch_mode',
  'other',
  'question',
] as const;
export type CallKind = (typeof callKinds)[number];

type Members = Readonly<Record<string, unknown>>;

/** Members of a call that the agent may send at any time, also with a permission request; a later one replaces an earlier one. */
const memberNames = ['title', 'name', 'kind', 'status', 'content', 'locations', 'rawInput', 'rawOutput', '_meta'];

/** Limit in characters of what the log keeps of a call. The agent has all of it, and an approval shows all of it. */
const maxKept = 100_000;

/** What the handler of a call has to do. */
export type CallEvent =
  | { readonly type: 'request'; readonly request: Request }
  | { readonly type: 'inner'; readonly call: AgentCall };

/** A call that the agent announced, as it is known so far. */
export class AgentCall {
  /** Its id in Parley: the agent's own may come again from another process. */
  readonly id = randomUUID();
  readonly events = new ItemQueue<CallEvent>();
  /** Whether its handler runs, or has run. */
  isBegun = false;
  /** Whether Parley did not let its handler run: the agent's requests for it are then answered with no. */
  isRefused = false;
  #isOver = false;
  #members: Members = {};

  constructor(members: Members) {
    this.merge(members);
  }

  /** Takes in what the agent sent. An empty list does not replace a full one: permission requests often have those. */
  merge(sent: Members): void {
    const known = this.#members;
    const given = memberNames.filter((name) => isGiven(sent[name], known[name])).map((name) => [name, sent[name]]);
    this.#members = { ...known, ...Object.fromEntries(given) };
    if (sent.status === 'completed' || sent.status === 'failed') this.end();
  }

  /** Ends the call; its handler then returns. */
  end(): void {
    this.#isOver = true;
    this.events.end();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get members(): Members {
    return this.#members;
  }

  get kind(): CallKind {
    const { kind } = this.#members;
    return callKinds.find((each) => each === kind) ?? 'other';
  }

  get title(): string {
    const { title, name } = this.#members;
    if (typeof title === 'string' && title.trim() !== '') return title;
    return typeof name === 'string' && name !== '' ? name : this.kind;
  }

  get hasFailed(): boolean {
    return this.#members.status === 'failed';
  }

  /** Content of one type, such as `diff`. */
  contents(type: string): Members[] {
    const { content } = this.#members;
    return (Array.isArray(content) ? content : []).filter((each) => isRecord(each) && each.type === type);
  }

  /** Its texts, joined. */
  get text(): string {
    return this.contents('content')
      .map(({ content }) => textOf(content))
      .join('\n');
  }

  /** The arguments for the log. */
  get args(): Json {
    const { name, rawInput, locations } = this.#members;
    const input = rawInput as Json | undefined;
    const isKept = input !== undefined && JSON.stringify(input).length <= maxKept;
    return {
      title: this.title.slice(0, maxKept),
      ...(typeof name === 'string' && { name }),
      ...(isKept && { input }),
      ...(Array.isArray(locations) && locations.length > 0 && { locations: locations.slice(0, 100) as Json }),
    };
  }

  /** The result for the log: what the agent showed of it. */
  get output(): string {
    const { rawOutput } = this.#members;
    const shown = [
      this.text,
      ...this.contents('diff').map(showDiff),
      ...this.contents('terminal').map(({ terminalId }) => `Terminal ${String(terminalId)}`),
    ].filter((text) => text !== '');
    const raw = typeof rawOutput === 'string' ? rawOutput : rawOutput === undefined ? '' : JSON.stringify(rawOutput);
    const whole = shown.length > 0 ? shown.join('\n') : raw;
    return whole.length > maxKept ? `${whole.slice(0, maxKept)}\n[${maxKept} of ${whole.length} characters]` : whole;
  }
}

function isGiven(value: unknown, known: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (Array.isArray(value) && value.length === 0) return known === undefined;
  return !(isRecord(value) && Object.keys(value).length === 0 && known !== undefined);
}

/** Returns the text of a block of content; other blocks are named. */
export function textOf(block: unknown): string {
  if (!isRecord(block)) return '';
  if (block.type === 'text' && typeof block.text === 'string') return block.text;
  if (block.type === 'resource_link') return String(block.uri);
  if (block.type === 'resource' && isRecord(block.resource)) return String(block.resource.text ?? block.resource.uri);
  return `[${String(block.type)}]`;
}

/** Shows a change as a diff: all of the old lines, then all of the new ones, without those that both begin and end with. */
export function showDiff({ path, oldText, newText }: Members): string {
  const [before, after] = [oldText, newText].map((text) => (typeof text === 'string' ? text.split('\n') : [])) as [
    string[],
    string[],
  ];
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const name = JSON.stringify(String(path)).slice(1, -1); // a path cannot add a line
  const head = [`--- ${oldText === null || oldText === undefined ? '/dev/null' : name}`, `+++ ${name}`];
  const removed = before.slice(start, before.length - end);
  const added = after.slice(start, after.length - end);
  const at = `@@ -${start + 1},${removed.length} +${start + 1},${added.length} @@`;
  return [...head, at, ...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)].join('\n');
}
