import {
  type ChatEvent,
  findCall,
  findPrompt,
  type InteractionId,
  type OpenCall,
  RefusalError,
  type ResponseId,
  type Seq,
  type Turn,
  type TurnInput,
  toToolError,
  turnOf,
} from '@parley/core';
import { CallRunner } from './call.ts';
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
  responseId: ResponseId | undefined;
}

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

  /** Whether a stop would cut something off. */
  get isBusy(): boolean {
    if (!this.#running) return false;
    const calls = [...this.#running.calls.values()];
    return calls.length === 0 || calls.some((call) => call.isBusy);
  }

  /** Whether a hook says what the prompt's deadline means, or a handler that is on its way back to it may (INT10). */
  decidesExpiry(id: InteractionId): boolean {
    const toolCallId = findPrompt(this.#session.head, id)?.request.toolCallId;
    const call = toolCallId === undefined ? undefined : this.#running?.calls.get(toolCallId);
    const interaction = call?.findInteraction(id);
    return interaction ? interaction.hooks.onTimeout !== undefined : call !== undefined;
  }

  #start(turn: Turn, unfinished: readonly OpenCall[]): void {
    const running: Running = { turn, abort: new AbortController(), calls: new Map(), responseId: undefined };
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
      const writer = new MessageWriter(this.#runtime, this.#session, turn);
      for (let isWritten = turn.isWritten; !isWritten; ) {
        const calls = await this.#write(writer, running);
        await Promise.all(calls.map((call) => this.#call(running, call, (runner) => runner.run())));
        if (abort.signal.aborted) return;
        isWritten = calls.length === 0;
      }
      await this.#end(turn, { status: 'completed', usage: writer.usage }, abort.signal);
    } catch (error) {
      if (abort.signal.aborted) return; // its turn has ended already
      this.#runtime.log.error({ sessionId: this.#session.id, turnId: turn.turnId, error }, 'turn failed');
      await this.#end(turn, { status: 'error', error: toTurnError(error) }, abort.signal);
    }
  }

  async #write(writer: MessageWriter, running: Running): Promise<readonly OpenCall[]> {
    const { turn, abort } = running;
    const agent = this.#runtime.agents.get(turn.agent);
    const responseId = this.#runtime.newId();
    running.responseId = responseId;
    const message = await writer.write(
      agent.run(this.#inputOf(turn, responseId), abort.signal),
      responseId,
      abort.signal,
    );
    if (abort.signal.aborted) return [];
    const { blocks, calls } = message;
    if (blocks.length === 0 && calls.length === 0) return [];
    let open: readonly OpenCall[] = [];
    await persist(
      this.#runtime,
      async () => {
        await this.#session.perform({ type: 'write', turnId: turn.turnId, responseId, blocks, calls });
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

  async #end(
    turn: Turn,
    end: { status: 'completed' | 'error'; error?: { code: string; message: string }; usage?: unknown },
    signal: AbortSignal,
  ) {
    const { turnId } = turn;
    const plan = planTurn(this.#runtime, this.#session);
    const { usage, ...rest } = end;
    const command = { type: 'end_turn', turnId, ...rest, usage: usage as never, plan } as const;
    await persist(this.#runtime, () => this.#session.perform(command), signal);
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
      async read(afterSeq: Seq = 0) {
        const events: ChatEvent[] = [];
        for await (const texts of store.events.read(id, afterSeq))
          for (const text of texts) events.push(JSON.parse(text));
        return events;
      },
    };
  }
}

function toTurnError(error: unknown): { code: string; message: string } {
  return error instanceof RefusalError ? error.toWire() : toToolError(error, 'handler_error');
}
