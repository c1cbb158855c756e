import {
  type CallResult,
  type Command,
  findCall,
  type InnerCall,
  type Json,
  type OpenCall,
  outsideAgent,
  type ResponseId,
  type SessionId,
  type ToolCall,
  type ToolCallId,
  ToolError,
  type Turn,
  toToolError,
  turnOf,
} from '@parleyhq/core';
import { inputWatchers } from '../call/authorise.ts';
import { type CallParent, CallRunner } from '../call/call-runner.ts';
import type { CallServices } from '../call/call-services.ts';
import type { LateAnswers } from '../call/late-answers.ts';
import type { Wake } from '../call/sleeping-call.ts';
import { newId } from '../node/new-id.ts';
import type { Change } from '../session/change.ts';
import type { SessionObserver, SessionWriter } from '../session/session-writer.ts';
import type { AgentRegistry } from '../tools/agent-registry.ts';
import { AgentInputs } from './agent-inputs.ts';
import { MessageWriter } from './message-writer.ts';
import { NewCalls } from './new-calls.ts';
import { isOfRunner, type Later, Sleepers } from './sleepers.ts';
import { requireRoom, type TurnLimits } from './turn-limits.ts';
import { recordKeys, TurnLog } from './turn-log.ts';

interface Running {
  readonly turn: Turn;
  readonly abort: AbortController;
  readonly calls: Map<string, CallRunner>;
  readonly writer: MessageWriter;
  responseId: ResponseId | undefined;
}

type TurnEnd = Omit<Extract<Command, { type: 'end_turn' }>, 'type' | 'turnId'>;

export interface TurnServices {
  readonly agents: AgentRegistry;
  readonly calls: CallServices;
  readonly limits: TurnLimits;
  /** Settles the open prompts of a session that a grant already covers: the process may have been killed in between (APR4). */
  cover(sessionId: SessionId): void;
}

/**
 * The loop of a turn: the agent writes a message, its calls run in parallel, the agent reads their results and writes the next
 * one, until a message has no calls. A turn begins and ends with events of the log, whoever wrote them.
 */
export class TurnRunner implements SessionObserver {
  readonly #services: TurnServices;
  readonly #session: SessionWriter;
  readonly #late: LateAnswers;
  readonly #log: TurnLog;
  readonly #inputs: AgentInputs;
  readonly #newCalls: NewCalls;
  readonly #sleepers: Sleepers;
  #running: Running | undefined;
  /** Ends the exclusive entry of a turn that was found writing, once it has stored a message. */
  #onWritten: (() => void) | undefined;
  /** Time of the last change, by the monotonic clock. */
  #changedAt = performance.now();

  constructor(services: TurnServices, session: SessionWriter, late: LateAnswers) {
    this.#services = services;
    this.#session = session;
    this.#late = late;
    this.#log = new TurnLog(services.calls.host.store, session.id);
    this.#inputs = new AgentInputs({ ...services, session, log: this.#log });
    this.#newCalls = new NewCalls({ services: services.calls, session, log: this.#log });
    this.#sleepers = new Sleepers({
      services: services.calls,
      session,
      takeUp: () => this.#takeUp(),
      runCancelHooks: (turn, call, wake) => this.runCancelHooks(turn, call, wake),
    });
    session.observe(this);
  }

  onChange(change: Change): void {
    const { events, before, after } = change;
    this.#changedAt = performance.now();
    const isLeft = before.turn?.owner !== this.#nodeId && !this.#running;
    if (change.isForeign && isLeft && events.some(isOfRunner)) this.giveBack();
    this.#sleepers.onChange(change);
    for (const event of events) {
      if (event.type === 'turn_end') this.#stop();
      // whoever withdrew the call does not wait for its handler
      if (event.type === 'tool_result') this.#running?.calls.get(event.payload.toolCallId)?.abort();
      if (event.type === 'turn_start' && event.payload.owner === this.#nodeId) this.#start(turnOf(event), []);
      if (event.type === 'turn_resumed' && event.payload.owner === this.#nodeId && before.turn)
        this.#start(before.turn, before.calls); // keeps its first owner, which marks it as resumed
      if (event.type === 'turn_resumed' && event.payload.owner !== this.#nodeId) this.#leave(); // this node was presumed dead
      if (event.type === 'tool_call' && event.payload.by)
        this.#startCall(findCall(after, event.payload.toolCallId), change);
    }
  }

  /**
   * Takes over what the process that ran the turn left, and wakes what cannot wait: the same loop continues, beginning with the
   * calls that have no result (DUR7). Nothing is entered before the server is ready, and a turn whose calls all sleep stays as it
   * is stored (DUR10).
   */
  recover(): void {
    const { turn, calls } = this.#session.head;
    if (!turn || turn.owner === this.#nodeId) return; // a late answer has just begun it
    this.lieDown();
    void this.#services.calls.reEntries.opened.then(() => this.#services.cover(this.#session.id));
    if (calls.length === 0) this.#writeOn().catch((error: unknown) => this.#reportLeft(turn, error));
  }

  /** Lets the turn leave memory if the session was quiet for `quietMs` and all its calls only wait (DUR10). @returns whether it did */
  async hibernate(quietMs: number): Promise<boolean> {
    const running = this.#running;
    const { row } = this.#session;
    const mayLeave = () => running === this.#running && row.seq === this.#session.row.seq && this.#onlyWaits(quietMs);
    if (!running || !mayLeave()) return false;
    const runners = [...running.calls.values()];
    if (!(await this.#sleepers.onlyWait(runners.map(({ call }) => call))) || !mayLeave()) return false;
    for (const runner of runners) runner.hibernate();
    this.#stop();
    this.lieDown();
    this.#services.calls.host.slept(runners.length);
    return true;
  }

  /** Whether the session was quiet for `quietMs`, and each call of the turn sleeps, or waits and may sleep. */
  #onlyWaits(quietMs: number): boolean {
    const { head, isSettled } = this.#session;
    const calls: Running['calls'] = this.#running?.calls ?? new Map();
    const isQuiet = performance.now() >= this.#changedAt + quietMs && isSettled && head.lateAnswers.length === 0;
    if (!isQuiet || !this.#late.isEmpty || calls.size === 0) return false;
    return head.calls.every(({ toolCallId: id }) => calls.get(id)?.mayHibernate ?? this.#sleepers.isUndisturbed(id));
  }

  /** Whether each call of the turn sleeps, and needs nothing from memory until it is woken. */
  get isAtRest(): boolean {
    return !this.#running && this.#sleepers.areAtRest(this.#session.head.calls);
  }

  /** Leaves the turn, if there is one, as it is stored: each of its calls wakes when something needs its code. */
  lieDown(later?: Later): void {
    const { head } = this.#session;
    this.#session.inherit(head.turn?.owner, (id) => this.isAsleep(id));
    this.#sleepers.find(head, later);
  }

  /** Gives the turn back: the session leaves memory, or the process that ran it is alive after all. */
  giveBack(): void {
    this.#session.inherit(undefined);
    this.#sleepers.clear();
  }

  /** Whether a call was found open and none of its code has run in this process. */
  isAsleep(id: ToolCallId): boolean {
    return this.#sleepers.get(id) !== undefined || this.#running?.calls.get(id)?.isAsleep === true;
  }

  /** Continues a turn whose agent was writing; in a careful start nothing else is entered until its message is stored. */
  async #writeOn(): Promise<void> {
    const onWritten = await this.#services.calls.reEntries.pass(false);
    this.#onWritten = onWritten;
    if (!(await this.#takeUp())) onWritten();
  }

  /** Makes this process the owner of the turn. @returns false if the turn is over or another process was first */
  async #takeUp(): Promise<boolean> {
    await this.#services.calls.reEntries.opened;
    const { head, storedHead: stored } = this.#session;
    const { turn, calls } = head;
    if (turn && turn.owner !== this.#nodeId) {
      const isRewritten = calls.length === 0 && !turn.isWritten;
      await this.#session.persist({ type: 'resume', owner: this.#nodeId, isRewritten, from: turn.owner });
    } else if (stored.turn?.owner === this.#nodeId && stored.turn.turnId === turn?.turnId && !this.#running)
      this.#start(stored.turn, stored.calls);
    return this.#session.head.turn?.owner === this.#nodeId;
  }

  /** Id of the message being written. */
  get responseId(): ResponseId | undefined {
    return this.#running?.responseId;
  }

  /** Returns the cost of the turn so far, as reported by its agent. */
  async readUsage(): Promise<Json | undefined> {
    const { turn } = this.#session.head;
    if (this.#running) return this.#usageOf(this.#running);
    return turn && this.#session.isOwned ? this.#readUsage(turn) : undefined;
  }

  /** Whether a stop would interrupt something. */
  get isBusy(): boolean {
    if (!this.#running) return false;
    const calls = [...this.#running.calls.values()];
    return calls.length === 0 ? this.#sleepers.size === 0 : calls.some((call) => call.isBusy);
  }

  get #nodeId(): string {
    return this.#services.calls.host.node.id;
  }

  #start(turn: Turn, unfinished: readonly OpenCall[]): void {
    const { toolbox, asking } = this.#services.calls;
    const watchers = () => inputWatchers(toolbox, this.#session.head);
    const writer = new MessageWriter(toolbox.registry, this.#session, turn, { watchers, reached: asking.reached });
    const running: Running = { turn, abort: new AbortController(), calls: new Map(), writer, responseId: undefined };
    this.#running = running;
    this.#run(running, unfinished).catch((error: unknown) => this.#reportLeft(turn, error));
  }

  #reportLeft({ turnId }: Turn, error: unknown): void {
    const about = { sessionId: this.#session.id, turnId, error };
    this.#services.calls.host.log.error(about, 'a turn could not be stored: the next start goes on with it');
  }

  /** Runs a program's call as soon as it is stored, in parallel with those already running (ASK1). */
  #startCall(call: OpenCall | undefined, { isForeign }: Change): void {
    const running = this.#running;
    const { turn } = this.#session.head;
    // the whole turn slept: the call runs once the turn continues
    if (!running && turn && !isForeign && this.#session.isOwned)
      this.#takeUp().catch((error: unknown) => this.#reportLeft(turn, error));
    if (!running || !call) return;
    this.#call(running, call, (runner) => runner.run()).catch((error: unknown) => this.#fail(running, error));
  }

  #leave(): void {
    for (const call of this.#running?.calls.values() ?? []) call.leave();
    this.#stop();
  }

  #stop(): void {
    this.#sleepers.clear();
    this.#onWritten?.();
    this.#running?.abort.abort();
    for (const call of this.#running?.calls.values() ?? []) call.abort();
    this.#running = undefined;
  }

  async #run(running: Running, unfinished: readonly OpenCall[]): Promise<void> {
    const { turn, abort } = running;
    try {
      await Promise.all(unfinished.map((call) => this.#goOn(running, call)));
      if (abort.signal.aborted || turn.agent === outsideAgent) return; // the decision on its last result ends the turn
      for (let isWritten = turn.isWritten; !isWritten; ) {
        const { messages = 0 } = this.#session.head.turn ?? turn;
        requireRoom(this.#services.limits, messages, await this.#usageOf(running));
        const calls = await this.#write(running);
        this.#onWritten?.();
        await Promise.all(calls.map((call) => this.#call(running, call, (runner) => runner.run())));
        if (abort.signal.aborted) return;
        isWritten = calls.length === 0;
      }
      await this.#end(running, { status: 'completed', usage: await this.#usageOf(running) });
    } catch (error) {
      await this.#fail(running, error);
    }
  }

  /** Continues a call once something needs its code. One that was made while its turn slept begins now. */
  async #goOn(running: Running, call: OpenCall): Promise<void> {
    const sleeping = this.#sleepers.meet(call, this.#session.head);
    const woken = await sleeping?.woken;
    const now = findCall(this.#session.head, call.toolCallId);
    if (running.abort.signal.aborted || !now) return;
    if (!sleeping) await this.#call(running, now, (runner) => runner.run());
    if (!sleeping || !woken) return;
    this.#changedAt = performance.now(); // it sleeps again no sooner than after a change
    const heard = this.#sleepers.release(sleeping);
    const onRest = () => {
      this.#late.giveUp(call.toolCallId);
      sleeping.rest();
    };
    await this.#call(running, now, (runner) => runner.resume({ ...woken, missed: heard }, onRest));
  }

  /** Runs the cancel hooks of a call that ended while it slept; nothing can be called inside it any more. */
  async runCancelHooks(turn: Turn, call: OpenCall, wake: Wake): Promise<void> {
    const callInside = () => Promise.reject(new ToolError('call_closed', 'The call is over.'));
    await this.#makeRunner(call, { turn, callInside }).runCancelHooks(wake);
  }

  #makeRunner(call: OpenCall, origin: Omit<CallParent, 'late'>): CallRunner {
    return new CallRunner(this.#services.calls, this.#session, call, { ...origin, late: this.#late });
  }

  async #fail(running: Running, error: unknown): Promise<void> {
    const { turn, abort, responseId } = running;
    if (abort.signal.aborted) return; // its turn has ended already
    this.#services.calls.host.log.error({ sessionId: this.#session.id, turnId: turn.turnId, error }, 'turn failed');
    const streamed = responseId === undefined ? [] : this.#session.tabs.stream.written(responseId);
    const usage = await this.#usageOf(running);
    const coded = toToolError(error, 'handler_error');
    await this.#end(running, { status: 'error', error: coded, usage, responseId, streamed });
  }

  async #write(running: Running): Promise<readonly OpenCall[]> {
    const { turn, abort, writer } = running;
    const agent = this.#services.agents.get(turn.agent);
    const responseId = newId();
    running.responseId = responseId;
    const message = await writer.write(
      agent.run(this.#inputs.of(turn, responseId), abort.signal),
      responseId,
      abort.signal,
    );
    if (abort.signal.aborted) return [];
    const { blocks, record } = message;
    if (blocks.length === 0 && message.calls.length === 0) return [];
    await this.#newCalls.requireNew(message.calls, false);
    const kept = { [recordKeys.message]: record, [recordKeys.usage]: writer.usage };
    const records = Object.entries(kept).flatMap(([key, value]) =>
      value === undefined ? [] : [{ toolCallId: responseId, key, value }],
    );
    const toCommand = (calls: readonly ToolCall[]) =>
      ({ type: 'write', turnId: turn.turnId, responseId, blocks, calls }) as const;
    const calls = await this.#newCalls.store(message.calls, toCommand, { records, signal: abort.signal });
    running.responseId = undefined;
    return calls.flatMap(({ toolCallId }) => findCall(this.#session.head, toolCallId) ?? []);
  }

  async #call(
    running: Running,
    call: OpenCall,
    start: (runner: CallRunner) => Promise<CallResult | undefined>,
    from?: string,
  ): Promise<CallResult | undefined> {
    const callInside: CallParent['callInside'] = (parent, inner, hasSecret) =>
      this.#callInside(running, parent, inner, hasSecret);
    const reply = this.#inputs.replier(running.turn, call, running.abort.signal);
    const runner = this.#makeRunner(call, {
      turn: running.turn,
      callInside,
      reply,
      ...(from !== undefined && { from }),
    });
    running.calls.set(call.toolCallId, runner);
    if (running.abort.signal.aborted) runner.abort();
    try {
      return await start(runner);
    } finally {
      running.calls.delete(call.toolCallId);
    }
  }

  /** Runs a call of a sub-agent, which is logged, asked about and answered like any other (AGT7). */
  async #callInside(
    running: Running,
    parent: OpenCall,
    inner: InnerCall,
    hasSecret: (value: unknown) => boolean,
  ): Promise<CallResult> {
    const { turn, writer, abort } = running;
    const written = { ...writer.toInnerCall(inner), parentToolCallId: parent.toolCallId };
    const { toolCallId, toolName, args, plugin } = written;
    if (hasSecret([toolCallId, args, inner.from, ...(plugin ? [] : [toolName])]))
      throw new ToolError(
        'secret_refused',
        'A secret that a person typed is not passed on: calls are stored in the clear.',
      );
    await this.#newCalls.requireNew([written], true);
    const { responseId = parent.toolCallId } = parent;
    const toCommand = (calls: readonly ToolCall[]) =>
      ({ type: 'write', turnId: turn.turnId, responseId, blocks: [], calls }) as const;
    await this.#newCalls.store([written], toCommand, { signal: abort.signal });
    const open = findCall(this.#session.head, written.toolCallId);
    const result = open && (await this.#call(running, open, (runner) => runner.run(), inner.from));
    if (!result) throw new ToolError('call_closed', 'The call is over.');
    return result;
  }

  async #end({ turn: { turnId }, abort }: Running, end: TurnEnd): Promise<void> {
    await this.#session.persist({ type: 'end_turn', turnId, ...end }, { signal: abort.signal });
  }

  async #usageOf({ turn, writer }: Running): Promise<Json | undefined> {
    return writer.usage ?? this.#readUsage(turn);
  }

  /** Reads the cost stored with the turn's newest message. An unreadable cost does not keep a turn from ending. */
  async #readUsage({ written }: Turn): Promise<Json | undefined> {
    return written === undefined ? undefined : this.#log.readRecord(written, 'usage').catch(() => undefined);
  }
}
