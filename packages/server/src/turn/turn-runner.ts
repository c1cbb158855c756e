import {
  type CallResult,
  type ChatEvent,
  type Command,
  findCall,
  type Grant,
  type InnerCall,
  type Json,
  type OpenCall,
  RefusalError,
  type ResponseId,
  type Seq,
  type ToolCall,
  ToolError,
  type Turn,
  type TurnInput,
  toToolError,
  turnOf,
} from '@parleyhq/core';
import { type CallPlace, CallRunner } from '../call/call-runner.ts';
import { authorise } from '../call/gate.ts';
import type { LateAnswers } from '../call/late-answers.ts';
import type { Runtime } from '../runtime.ts';
import type { LiveSession, SessionObserver } from '../session/live-session.ts';
import { persist } from '../session/retry-until-stored.ts';
import { MessageWriter } from './message-writer.ts';

interface Running {
  readonly turn: Turn;
  readonly abort: AbortController;
  readonly calls: Map<string, CallRunner>;
  readonly writer: MessageWriter;
  responseId: ResponseId | undefined;
}

type TurnEnd = Omit<Extract<Command, { type: 'end_turn' }>, 'type' | 'turnId'>;

/** What stands beside a message: its agent's own record, and what the turn had cost by then. */
const recordKeys = { message: 'message', usage: 'usage' } as const;

/**
 * The loop of a turn: the agent writes a message, its calls run side by side, the agent reads their results and writes the
 * next one, until a message has no calls. It begins and ends with events of the log, whoever wrote them.
 */
export class TurnRunner implements SessionObserver {
  readonly #runtime: Runtime;
  readonly #session: LiveSession;
  readonly #late: LateAnswers;
  #running: Running | undefined;

  constructor(runtime: Runtime, session: LiveSession, late: LateAnswers) {
    this.#runtime = runtime;
    this.#session = session;
    this.#late = late;
    session.observe(this);
  }

  onStored(events: readonly ChatEvent[]): void {
    for (const event of events) {
      if (event.type === 'turn_end') this.#stop();
      if (event.type === 'turn_start' && event.payload.owner === this.#runtime.nodeId) this.#start(turnOf(event), []);
    }
  }

  /** Goes on with a turn that an earlier process left: the same loop, begun with the calls that have no result (DUR7). */
  async recover(): Promise<void> {
    const { turn, calls } = this.#session.head;
    if (!turn || turn.owner === this.#runtime.nodeId) return; // a late answer has begun it just now
    const isRewritten = calls.length === 0 && !turn.isWritten;
    await this.#session.perform({ type: 'resume', owner: this.#runtime.nodeId, isRewritten });
    this.#start(turn, calls);
  }

  /** The message that is being written. */
  get responseId(): ResponseId | undefined {
    return this.#running?.responseId;
  }

  /** What the turn has cost so far, as its agent says. */
  async readUsage(): Promise<Json | undefined> {
    return this.#running && this.#usageOf(this.#running);
  }

  /** Whether a stop would cut something off. */
  get isBusy(): boolean {
    if (!this.#running) return false;
    const calls = [...this.#running.calls.values()];
    return calls.length === 0 || calls.some((call) => call.isBusy);
  }

  #start(turn: Turn, unfinished: readonly OpenCall[]): void {
    const writer = new MessageWriter(this.#runtime, this.#session, turn);
    const running: Running = { turn, abort: new AbortController(), calls: new Map(), writer, responseId: undefined };
    this.#running = running;
    void this.#run(running, unfinished);
  }

  #stop(): void {
    this.#running?.abort.abort();
    for (const call of this.#running?.calls.values() ?? []) call.abort();
    this.#running = undefined;
  }

  async #run(running: Running, unfinished: readonly OpenCall[]): Promise<void> {
    const { turn, abort } = running;
    try {
      await Promise.all(unfinished.map((call) => this.#call(running, call, (runner) => runner.resume())));
      if (abort.signal.aborted) return;
      for (let isWritten = turn.isWritten; !isWritten; ) {
        const calls = await this.#write(running);
        await Promise.all(calls.map((call) => this.#call(running, call, (runner) => runner.run())));
        if (abort.signal.aborted) return;
        isWritten = calls.length === 0;
      }
      await this.#end(running, { status: 'completed', usage: await this.#usageOf(running) });
    } catch (error) {
      if (abort.signal.aborted) return; // its turn has ended already
      this.#runtime.log.error({ sessionId: this.#session.id, turnId: turn.turnId, error }, 'turn failed');
      const { responseId } = running;
      const streamed = responseId === undefined ? [] : this.#session.stream.written(responseId);
      const usage = await this.#usageOf(running);
      await this.#end(running, { status: 'error', error: toTurnError(error), usage, responseId, streamed });
    }
  }

  async #write(running: Running): Promise<readonly OpenCall[]> {
    const { turn, abort, writer } = running;
    const agent = this.#runtime.agents.get(turn.agent);
    const responseId = this.#runtime.newId();
    running.responseId = responseId;
    const message = await writer.write(
      agent.run(this.#inputOf(turn, responseId), abort.signal),
      responseId,
      abort.signal,
    );
    if (abort.signal.aborted) return [];
    const { blocks, record } = message;
    if (blocks.length === 0 && message.calls.length === 0) return [];
    const { calls, usedGrants } = await this.#authorise(message.calls);
    const kept = { [recordKeys.message]: record, [recordKeys.usage]: writer.usage };
    const records = Object.entries(kept).flatMap(([key, value]) =>
      value === undefined ? [] : [{ toolCallId: responseId, key, value }],
    );
    const command = { type: 'write', turnId: turn.turnId, responseId, blocks, calls } as const;
    await persist(this.#runtime, () => this.#session.perform(command, { records, usedGrants }), abort.signal);
    running.responseId = undefined;
    return calls.flatMap(({ toolCallId }) => findCall(this.#session.head, toolCallId) ?? []);
  }

  async #authorise(written: readonly ToolCall[]): Promise<{ calls: ToolCall[]; usedGrants: Grant[] }> {
    const found = await Promise.all(written.map((call) => authorise(this.#runtime, this.#session, call)));
    const calls = written.map((call, n) => ({ ...call, ...(found[n] && { authorised: found[n].authorised }) }));
    return { calls, usedGrants: found.flatMap(({ grant }) => grant ?? []) };
  }

  async #call(
    running: Running,
    call: OpenCall,
    start: (runner: CallRunner) => Promise<CallResult | undefined>,
    from?: string,
  ): Promise<CallResult | undefined> {
    const place: CallPlace = {
      turn: running.turn,
      ...(from !== undefined && { from }),
      callInside: (parent, inner) => this.#callInside(running, parent, inner),
    };
    const runner = new CallRunner(this.#runtime, this.#session, this.#late, call, place);
    running.calls.set(call.toolCallId, runner);
    if (running.abort.signal.aborted) runner.abort();
    const result = await start(runner);
    running.calls.delete(call.toolCallId);
    return result;
  }

  /** A call of a sub-agent: in the log, asked for and answered like any other (AGT7). */
  async #callInside(running: Running, parent: OpenCall, { from, ...inner }: InnerCall): Promise<CallResult> {
    const { turn, writer, abort } = running;
    const written = { ...writer.toCall({ type: 'tool_call', ...inner }), parentToolCallId: parent.toolCallId };
    const { responseId = parent.toolCallId } = parent;
    const { calls, usedGrants } = await this.#authorise([written]);
    const command = { type: 'write', turnId: turn.turnId, responseId, blocks: [], calls } as const;
    await persist(this.#runtime, () => this.#session.perform(command, { usedGrants }), abort.signal);
    const open = findCall(this.#session.head, written.toolCallId);
    const result = open && (await this.#call(running, open, (runner) => runner.run(), from));
    if (!result) throw new ToolError('call_closed', 'The call is over.');
    return result;
  }

  async #end({ turn: { turnId }, abort }: Running, end: TurnEnd): Promise<void> {
    const command = { type: 'end_turn', turnId, ...end } as const;
    await persist(this.#runtime, () => this.#session.perform(command), abort.signal);
  }

  #inputOf(turn: Turn, responseId: ResponseId): TurnInput {
    const { tools, agents } = this.#runtime;
    const { id } = this.#session;
    return {
      sessionId: id,
      turnId: turn.turnId,
      responseId,
      model: agents.model,
      permissionMode: this.#session.row.permissionMode,
      tools: tools.offers,
      startSeq: turn.seq,
      record: (messageId: ResponseId) => this.#readRecord(messageId, recordKeys.message),
      read: (afterSeq: Seq = 0) => this.#readLog(afterSeq),
    };
  }

  async #usageOf({ turn, writer }: Running): Promise<Json | undefined> {
    if (writer.usage !== undefined || turn.owner === this.#runtime.nodeId) return writer.usage;
    return this.#readStoredUsage(turn).catch(() => undefined); // a cost that cannot be read keeps no turn from its end
  }

  /** Of a turn that an earlier process began, until its agent speaks again: what stands with its newest message. */
  async #readStoredUsage({ seq }: Turn): Promise<Json | undefined> {
    const last = (await this.#readLog(seq)).findLast(belongsToMessage)?.responseId;
    return last === undefined ? undefined : this.#readRecord(last, recordKeys.usage);
  }

  async #readRecord(messageId: ResponseId, wanted: string): Promise<Json | undefined> {
    const records = await this.#runtime.store.index.records(this.#session.id, messageId);
    return records.find(({ key }) => key === wanted)?.value;
  }

  async #readLog(afterSeq: Seq): Promise<readonly ChatEvent[]> {
    const events: ChatEvent[] = [];
    for await (const texts of this.#runtime.store.events.read(this.#session.id, afterSeq))
      for (const text of texts) events.push(JSON.parse(text));
    return events;
  }
}

function belongsToMessage({ type }: ChatEvent): boolean {
  return type === 'assistant_done' || type === 'thinking_done' || type === 'tool_call';
}

function toTurnError(error: unknown): { code: string; message: string } {
  return error instanceof RefusalError ? error.toWire() : toToolError(error, 'handler_error');
}
