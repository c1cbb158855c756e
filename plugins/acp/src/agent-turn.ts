import { type AgentPart, fenceCode, type Json, ToolError } from '@parleyhq/core';
import { AgentCall, textOf } from './agent-call.ts';
import { ItemQueue } from './item-queue.ts';
import { describePlan } from './plan.ts';
import type { Request } from './request.ts';
import { readUsage } from './usage.ts';

type Update = Readonly<Record<string, unknown>>;

type Item =
  | { readonly type: 'text' | 'thinking'; readonly text: string; readonly messageId: unknown }
  | { readonly type: 'call'; readonly call: AgentCall }
  | { readonly type: 'usage'; readonly usage: Json };

/** How long to wait for further calls after one: agents often announce several at once, which then run side by side. In ms. */
const quietMs = 60;

/** How many reports are shown of a turn. */
const maxReports = 20;
/** How much is shown of an update of an unknown kind, in characters. */
const maxShown = 2000;

/** One prompt of the agent, from which each run reads a message. */
export class AgentTurn {
  readonly turnId: string;
  readonly #items = new ItemQueue<Item>();
  readonly #calls = new Map<unknown, AgentCall>();
  /** Calls that a message has announced. */
  #written: AgentCall[] = [];
  readonly #requests = new Set<Request>();
  #fault: ToolError | undefined;
  #notes = 0;
  #reports = 0;
  #isOver = false;
  #isCancelled = false;
  #plan: readonly string[] = [];
  #usage: Readonly<Record<string, Json>> = {};

  constructor(turnId: string) {
    this.turnId = turnId;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Writes one message: up to the agent's next calls, or to its end. @throws ToolError if the turn failed */
  async *read(): AsyncGenerator<AgentPart> {
    for (const call of this.#written) if (!call.isBegun) this.#refuse(call);
    const calls: AgentCall[] = [];
    let last: string | undefined;
    for (;;) {
      const item = await this.#items.peek(calls.length > 0 ? quietMs : undefined);
      if (!item || (calls.length > 0 && item.type !== 'call')) break;
      this.#items.take();
      if (item.type === 'usage') yield item;
      else if (item.type === 'call') calls.push(item.call);
      else {
        const block = `${item.type} ${String(item.messageId)}`;
        if (last !== undefined && last !== block) yield { type: 'block_end' };
        last = block;
        yield { type: item.type, text: item.text };
      }
    }
    this.#written = calls;
    if (calls.length === 0 && this.#fault) throw this.#fault;
    for (const { id, kind, args } of calls) yield { type: 'tool_call', toolCallId: id, toolName: kind, args };
  }

  /** Finds an open call by its id in Parley. */
  find(toolCallId: string): AgentCall | undefined {
    return [...this.#calls.values()].find(({ id }) => id === toolCallId);
  }

  /** Takes in an update of the session. One of an unknown kind is shown as it is. */
  update(update: Update): void {
    if (this.#isOver) return; // a late update of a turn that has ended
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        this.#say('text', update);
        break;
      case 'agent_thought_chunk':
        this.#say('thinking', update);
        break;
      case 'tool_call':
      case 'tool_call_update':
        this.#callOf(update);
        break;
      case 'plan': {
        const lines = describePlan(update.entries);
        const news = lines.filter((line) => !this.#plan.includes(line));
        this.#plan = lines;
        if (news.length > 0) this.note(news.join('\n'));
        break;
      }
      case 'usage_update':
        this.#spend(readUsage(update));
        break;
      case 'user_message_chunk': // the log has it
        break;
      default:
        this.#noteUnknown(update);
    }
  }

  /** Adds a text of its own block. */
  note(text: string): void {
    this.#notes += 1;
    this.#items.push({ type: 'text', text, messageId: `note ${this.#notes}` });
  }

  /** Adds what the agent says apart from the conversation. @returns whether it is shown: too many of them are not */
  report(text: string): boolean {
    this.#reports += 1;
    if (this.#reports > maxReports) return false;
    this.note(text);
    return true;
  }

  /** Passes a request to the handler of its call, which asks people. @param members - of the call that it names */
  async ask<R extends Request>(request: R, members: Update, signal?: AbortSignal): Promise<Awaited<R['answered']>> {
    if (this.#isOver || this.#isCancelled) {
      request.cancel();
      return (await request.answered) as Awaited<R['answered']>;
    }
    this.#requests.add(request);
    const withdraw = () => request.withdraw();
    signal?.addEventListener('abort', withdraw, { once: true });
    const named = this.#callOf(members);
    const isAgain = named.isOver && !named.isRefused;
    const call = isAgain
      ? this.#announce(Symbol('again'), new AgentCall({ ...named.members, status: 'pending' }))
      : named;
    if (call.isRefused) request.refuse();
    else call.events.push({ type: 'request', request });
    const answer = await request.answered;
    this.#requests.delete(request);
    signal?.removeEventListener('abort', withdraw);
    if (isAgain || members.toolCallId === undefined) call.end(); // it was made for this request
    return answer as Awaited<R['answered']>;
  }

  /** Answers every open request with `cancelled`, at once. */
  cancel(): void {
    this.#isCancelled = true;
    for (const request of this.#requests) request.cancel();
  }

  /** Ends the turn: nothing of it counts any more. @param fault - why it failed */
  end(fault?: ToolError, usage?: unknown): void {
    if (this.#isOver) return;
    if (usage !== undefined) this.#spend(readUsage(usage));
    this.#isOver = true;
    this.#fault = fault;
    for (const request of this.#requests) request.withdraw(this.death);
    for (const call of this.#calls.values()) call.end();
    this.#items.end();
  }

  /** Why the calls that are open can no longer go on, if the process has died. */
  get death(): ToolError | undefined {
    return this.#fault?.code === 'agent_stopped' ? new ToolError('orphaned', this.#fault.message) : undefined;
  }

  #say(type: 'text' | 'thinking', { content, messageId }: Update): void {
    const text = textOf(content);
    if (text !== '') this.#items.push({ type, text, messageId });
  }

  #noteUnknown({ sessionUpdate, ...members }: Update): void {
    const text = JSON.stringify(members, null, 2);
    const shown = text.length > maxShown ? `${text.slice(0, maxShown)} …` : text;
    this.report(`*The agent reports ${JSON.stringify(String(sessionUpdate).slice(0, 100))}:*\n\n${fenceCode(shown)}`);
  }

  #spend(usage: Readonly<Record<string, Json>>): void {
    this.#usage = { ...this.#usage, ...usage };
    this.#items.push({ type: 'usage', usage: this.#usage });
  }

  #callOf(members: Update): AgentCall {
    const id = members.toolCallId;
    const known = id === undefined ? undefined : this.#calls.get(id);
    known?.merge(members);
    return known ?? this.#announce(id ?? Symbol('alone'), new AgentCall(members));
  }

  /** Announces a call: inside one whose handler is waiting, so that neither waits for the other, else with the next message. */
  #announce(key: unknown, call: AgentCall): AgentCall {
    const outer = [...this.#calls.values()].find(({ isBegun, isOver }) => isBegun && !isOver);
    this.#calls.set(key, call);
    if (outer) outer.events.push({ type: 'inner', call });
    else this.#items.push({ type: 'call', call });
    return call;
  }

  /** Answers for a call that Parley did not let run. */
  #refuse(call: AgentCall): void {
    call.isRefused = true;
    for (const request of this.#requestsOf(call)) request.refuse();
  }

  *#requestsOf(call: AgentCall): Generator<Request> {
    for (let event = call.events.take(); event; event = call.events.take())
      if (event.type === 'request') yield event.request;
  }

  /** Answers for a call inside another one that Parley did not let run. */
  refuse(call: AgentCall): void {
    if (!call.isBegun) this.#refuse(call);
  }
}
