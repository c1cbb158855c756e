import {
  type ChatEvent,
  type Command,
  findCall,
  type InteractionId,
  type Json,
  type OpenCall,
  RefusalError,
  type ResponseId,
  type Seq,
  type Turn,
  type TurnInput,
  toToolError,
} from '@parley/core';
import { CallRunner } from './call.ts';
import type { Interaction } from './interaction.ts';
import type { LateAnswers } from './late-answers.ts';
import type { LiveSession, SessionObserver } from './live-session.ts';
import { MessageWriter } from './message-writer.ts';
import { persist } from './persist.ts';
import type { Runtime } from './runtime.ts';
import { planTurn } from './turn-plan.ts';

interface Running {
  readonly turn: Turn;
  readonly abort: AbortController;
  readonly calls: Map<string, CallRunner>;
  readonly writer: MessageWriter;
  responseId: ResponseId | undefined;
}

type TurnEnd = Omit<Extract<Command, { type: 'end_turn' }>, 'type' | 'turnId' | 'plan'>;

/** The one record that a message has. */
const recordKey = 'message';

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
    if (!turn) return;
    const isRewritten = calls.length === 0;
    await this.#session.perform({ type: 'resume', owner: this.#runtime.nodeId, isRewritten });
    this.#start(turn, calls);
  }

  /** The message that is being written. */
  get responseId(): ResponseId | undefined {
    return this.#running?.responseId;
  }

  /** What the agent said that the turn has cost so far. */
  get usage(): Json | undefined {
    return this.#running?.writer.usage;
  }

  /** Whether a stop would cut something off. */
  get isBusy(): boolean {
    if (!this.#running) return false;
    const calls = [...this.#running.calls.values()];
    return calls.length === 0 || calls.some((call) => call.isBusy);
  }

  findInteraction(id: InteractionId): Interaction | undefined {
    for (const call of this.#running?.calls.values() ?? []) {
      const interaction = call.findInteraction(id);
      if (interaction) return interaction;
    }
    return undefined;
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
    const { turn, abort, writer } = running;
    try {
      await Promise.all(unfinished.map((call) => this.#call(running, call, (runner) => runner.resume())));
      if (abort.signal.aborted) return;
      for (let calls = await this.#write(running); calls.length > 0; calls = await this.#write(running)) {
        await Promise.all(calls.map((call) => this.#call(running, call, (runner) => runner.run())));
        if (abort.signal.aborted) return;
      }
      await this.#end(running, { status: 'completed', usage: writer.usage });
    } catch (error) {
      if (abort.signal.aborted) return; // its turn has ended already
      this.#runtime.log.error({ sessionId: this.#session.id, turnId: turn.turnId, error }, 'turn failed');
      const { responseId } = running;
      const streamed = responseId === undefined ? [] : this.#session.stream.written(responseId);
      const { usage } = writer;
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
    const { blocks, calls, record } = message;
    if (blocks.length === 0 && calls.length === 0) return [];
    const records = record === undefined ? [] : [{ toolCallId: responseId, key: recordKey, value: record }];
    let open: readonly OpenCall[] = [];
    await persist(
      this.#runtime,
      async () => {
        await this.#session.perform({ type: 'write', turnId: turn.turnId, responseId, blocks, calls }, { records });
        open = calls.flatMap(({ toolCallId }) => findCall(this.#session.head, toolCallId) ?? []);
      },
      abort.signal,
    );
    running.responseId = undefined;
    return open;
  }

  async #call(running: Running, call: OpenCall, start: (runner: CallRunner) => Promise<void>): Promise<void> {
    const isResumed = running.turn.owner !== this.#runtime.nodeId;
    const runner = new CallRunner(this.#runtime, this.#session, this.#late, call, isResumed);
    running.calls.set(call.toolCallId, runner);
    if (running.abort.signal.aborted) runner.abort();
    await start(runner);
    running.calls.delete(call.toolCallId);
  }

  async #end({ turn: { turnId }, abort }: Running, end: TurnEnd): Promise<void> {
    const plan = planTurn(this.#runtime, this.#session);
    const command = { type: 'end_turn', turnId, ...end, plan } as const;
    await persist(this.#runtime, () => this.#session.perform(command), abort.signal);
  }

  #inputOf(turn: Turn, responseId: ResponseId): TurnInput {
    const { store, tools, agents } = this.#runtime;
    const { id } = this.#session;
    return {
      sessionId: id,
      turnId: turn.turnId,
      responseId,
      model: agents.model,
      tools: tools.offers,
      startSeq: turn.seq,
      async record(messageId: ResponseId) {
        const records = await store.index.records(id, messageId);
        return records.find(({ key }) => key === recordKey)?.value;
      },
      async read(afterSeq: Seq = 0) {
        const events: ChatEvent[] = [];
        for await (const texts of store.events.read(id, afterSeq))
          for (const text of texts) events.push(JSON.parse(text));
        return events;
      },
    };
  }
}

function turnOf(event: ChatEvent<'turn_start'>): Turn {
  const { agent, owner } = event.payload;
  return { turnId: event.turnId ?? event.id, agent, owner, seq: event.seq };
}

function toTurnError(error: unknown): { code: string; message: string } {
  return error instanceof RefusalError ? error.toWire() : toToolError(error, 'handler_error');
}
