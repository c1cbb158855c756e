import {
  type CallResult,
  type ChatEvent,
  type Command,
  findCall,
  type GrantOffer,
  type InnerCall,
  type InteractionDemand,
  type InteractionHooks,
  type InteractionId,
  type InteractionRequest,
  isRecord,
  type JournalRecord,
  type Json,
  type OpenCall,
  RefusalError,
  redacted,
  ToolError,
  type Turn,
  toToolError,
} from '@parleyhq/core';
import { logFault } from '../log/fault-log.ts';
import { Secrets } from '../log/secrets.ts';
import type { Runtime } from '../runtime.ts';
import type { LiveSession } from '../session/live-session.ts';
import { persist } from '../session/retry-until-stored.ts';
import { countLimit, noteLimit } from '../tools/limit-error.ts';
import type { RegisteredTool } from '../tools/tool-registry.ts';
import { toResult } from '../tools/tool-result.ts';
import { passGate } from './gate.ts';
import { Journal, type Verdict } from './journal.ts';
import type { LateAnswers } from './late-answers.ts';
import { Interaction, type Settlement } from './question.ts';
import { Entry } from './re-entry.ts';
import { Steps } from './steps.ts';
import { longestTimerMs, ToolClock } from './tool-clock.ts';
import { makeContext } from './tool-context.ts';
import { Waiters } from './waiters.ts';

/** How a call ends. */
export interface CallOutcome {
  readonly outcome: CallResult;
  readonly isOrphaned?: boolean;
}

/** What a call is a part of. */
export interface CallPlace {
  readonly turn: Turn;
  /** The sub-agent that makes the call. */
  readonly from?: string;
  /** Runs a call inside this one. */
  callInside(parent: OpenCall, call: InnerCall): Promise<CallResult>;
}

interface PerformOptions {
  readonly onStored?: (events: readonly ChatEvent[]) => void;
  /** What the prompt came to, stored with the command's events. */
  readonly outcome?: { readonly interactionId: InteractionId; readonly verdict: Verdict };
}

/** Runs one tool call to its one result. It waits on the log; the log never waits on it. */
export class CallRunner {
  readonly runtime: Runtime;
  readonly session: LiveSession;
  readonly call: OpenCall;
  /** Aborts when the call is over, whatever ended it. */
  readonly signal: AbortSignal;
  readonly #late: LateAnswers;
  readonly #place: CallPlace;
  readonly #abort = new AbortController();
  readonly #waiters: Waiters;
  #clock: ToolClock | undefined;
  readonly #keys = new Set<string>();
  #asked = 0;
  #waits = 0;
  #entry: Entry | undefined;

  /** What an earlier process left of this call; empty for a new one. */
  journal = Journal.empty;
  readonly steps: Steps;
  readonly secrets: Secrets;

  constructor(runtime: Runtime, session: LiveSession, late: LateAnswers, call: OpenCall, place: CallPlace) {
    this.runtime = runtime;
    this.session = session;
    this.call = call;
    this.signal = this.#abort.signal;
    this.#late = late;
    this.secrets = new Secrets(runtime.secrets);
    this.#place = place;
    this.#waiters = new Waiters(call.toolCallId, (id, interaction) => this.#runCancelHook(id, interaction));
    this.steps = new Steps(this);
  }

  /** Resolves when the call has its result, or needs none any more: undefined. */
  run(): Promise<CallResult | undefined> {
    return this.#finish(() => this.#execute());
  }

  /** Goes on with a call of an earlier process: in silence where it only waited, else as its tool says (DUR2, DUR4). */
  resume(): Promise<CallResult | undefined> {
    return this.#finish(() => this.#reenter());
  }

  /** `ctx.callTool`. */
  callInside(call: InnerCall): Promise<CallResult> {
    return this.#place.callInside(this.call, call);
  }

  async #finish(execute: () => Promise<CallOutcome>): Promise<CallResult | undefined> {
    const stopObserving = this.session.observe(this.#waiters);
    try {
      const raw = await Promise.race([execute(), this.#whenAborted()]);
      if (!raw) return undefined;
      const outcome = this.secrets.redact(raw);
      const { toolCallId } = this.call;
      await persist(this.runtime, () => this.session.perform({ type: 'return', toolCallId, ...outcome }), this.signal);
      return outcome.outcome;
    } finally {
      stopObserving();
      this.#clock?.stop();
      this.abort();
    }
  }

  /** The tool that is called, if there is one. */
  get registered(): RegisteredTool | undefined {
    return this.runtime.tools.get(this.call.toolName, this.#place.turn.agent);
  }

  abort(): void {
    this.#abort.abort(new ToolError('cancelled', 'The call is over.'));
  }

  /** Something of it runs that a stop would cut off; a call that waits for people can wait through a restart. */
  get isBusy(): boolean {
    return this.#waits === 0;
  }

  /** `ctx.requestInteraction`. */
  requestInteraction(demand: InteractionDemand, offer?: GrantOffer): Promise<unknown> {
    const promise = this.#ask(demand, offer);
    promise.catch(() => undefined); // a handler that raced it away is told by nobody that it rejects later
    return promise;
  }

  /** A slot has one question: after a restart it is found by its key, else by its number (DUR5). */
  async #ask(demand: InteractionDemand, offer?: GrantOffer): Promise<unknown> {
    const { key } = demand ?? {};
    if (key !== undefined && this.#keys.has(key)) {
      throw new ToolError('tool_error', `requestInteraction: this call has asked under the key "${key}" before.`);
    }
    if (key !== undefined) this.#keys.add(key);
    const { from } = this.#place;
    const source =
      from === undefined
        ? ({ kind: 'tool', name: this.call.toolName } as const)
        : ({ kind: 'agent', name: from } as const);
    return this.interact(demand, key ?? String(++this.#asked), source, offer);
  }

  /** @throws ToolError `call_closed` where the call is over, or the code of what the store refused */
  async perform(command: Command, options: PerformOptions = {}): Promise<void> {
    const { onStored, outcome } = options;
    const records = outcome ? [this.#outcomeRecord(outcome.interactionId, outcome.verdict)] : [];
    try {
      await this.session.perform(this.secrets.redact(command), { records, ...(onStored && { onStored }) });
    } catch (error) {
      throw asToolError(error);
    }
  }

  /** A private journal entry. @throws ToolError `call_closed` where the call is over */
  async record(key: string, value: Json): Promise<void> {
    const { toolCallId } = this.call;
    await this.#store({ toolCallId, key, value: this.secrets.occursIn(value) ? redacted : value });
  }

  /** Stores what a settled prompt came to; nobody waits for it in vain, for a lost record is asked about (DUR4). */
  async recordOutcome(interactionId: InteractionId, verdict: Verdict): Promise<void> {
    await this.#store(this.#outcomeRecord(interactionId, verdict));
  }

  /** @throws ToolError `call_closed` */
  requireOpen(): void {
    if (!findCall(this.session.head, this.call.toolCallId)) throw new ToolError('call_closed', 'The call is over.');
  }

  /** A call's records end with it: what comes later would never be read, and never go (DUR3). */
  async #store(record: JournalRecord): Promise<void> {
    this.requireOpen();
    await this.session.record([record]).catch((error: unknown) => {
      throw asToolError(error);
    });
  }

  /** For a while after a start the people of resumed turns count as present (INT14). */
  get isWithinGrace(): boolean {
    const { startedAt, durations } = this.runtime;
    const isResumed = this.#place.turn.owner !== this.runtime.nodeId;
    return isResumed && performance.now() < startedAt + durations.restartGraceMs;
  }

  /** What ends the wait for a prompt; to be called before anybody can answer it. */
  settlementOf(id: InteractionId, interaction: Interaction): Promise<Settlement> {
    return this.#waiters.wait(id, interaction);
  }

  keepLateHook(id: InteractionId, hook: InteractionHooks['onLateResponse']): void {
    this.#waiters.forget(id);
    if (hook) this.#late.keep(id, hook);
  }

  /** People's time is not tool time. */
  async waitForPeople<T>(settlement: Promise<T>): Promise<T> {
    this.#clock?.pause();
    this.#waits += 1;
    this.#entry?.arrive();
    try {
      return await settlement;
    } finally {
      this.#waits -= 1;
      this.#clock?.resume();
    }
  }

  /** @throws ToolError `handler_error` or the hook's own code, `handler_timeout` */
  async runHook<T>(interactionId: InteractionId, hook: () => Promise<T>): Promise<T> {
    const ms = Math.min(this.#timeoutMs, longestTimerMs);
    let timer: NodeJS.Timeout | undefined;
    this.#clock?.pause(); // a hook has its own time
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new ToolError('handler_timeout', `The hook took longer than ${ms} ms.`)), ms);
    });
    try {
      return await Promise.race([this.steps.within(`hook:${interactionId}`, hook), late]);
    } catch (cause) {
      const { code, message } = toToolError(cause, 'handler_error');
      throw new ToolError(code, message, { cause });
    } finally {
      clearTimeout(timer);
      this.#clock?.resume();
    }
  }

  /** One interaction in a slot of this call. */
  async interact(
    demand: InteractionDemand,
    slot: string,
    source: InteractionRequest['source'],
    offer?: GrantOffer,
  ): Promise<unknown> {
    if (this.signal.aborted) throw new ToolError('call_closed', 'The call is over: nobody can be asked any more.');
    if (!isRecord(demand)) throw new ToolError('tool_error', 'requestInteraction: needs a request.');
    return new Interaction(this, demand, { slot, source, offer }).run();
  }

  async #execute(): Promise<CallOutcome> {
    const { registered } = this;
    try {
      if (!registered) throw this.runtime.tools.unknown(this.call.toolName);
      return { outcome: { result: await this.#handle(registered) } };
    } catch (error) {
      const coded = toToolError(error);
      const { toolCallId, toolName: tool } = this.call;
      logFault(this.runtime.log, error, { toolCallId, tool, code: coded.code });
      return { outcome: { error: coded } };
    }
  }

  async #reenter(): Promise<CallOutcome> {
    this.journal = await Journal.read(this.runtime, this.session.row, this.call);
    const entry = new Entry(this);
    const end = await entry.begin();
    if (end) return end;
    this.#entry = entry;
    return this.#execute();
  }

  async #handle(registered: RegisteredTool): Promise<Json> {
    const read = (args: Json) =>
      registered.parse(args).catch((error: unknown) => {
        throw noteLimit(this.runtime, error);
      });
    const asked = await read(this.call.args); // what does not fit is told before anybody is asked
    const callArgs = await passGate(this, registered);
    const args = callArgs === this.call.args ? asked : await read(callArgs);
    const elapsed = new Promise<never>((_, reject) => {
      this.#clock = new ToolClock(this.#timeoutMs, () => {
        reject(new ToolError('tool_timeout', `The tool took longer than ${this.#timeoutMs} ms of its own time.`));
      });
    });
    const context = makeContext(this, registered, callArgs);
    const result = await Promise.race([(async () => registered.tool.handler(args, context))(), elapsed]);
    return countLimit(this.runtime, () => toResult(result));
  }

  #outcomeRecord(interactionId: InteractionId, verdict: Verdict): JournalRecord {
    return this.secrets.occursIn(verdict)
      ? Journal.redactedRecord(this.call.toolCallId, interactionId)
      : Journal.outcomeRecord(this.call.toolCallId, interactionId, verdict);
  }

  get #timeoutMs(): number {
    return this.registered?.tool.timeoutMs ?? this.runtime.durations.toolTimeoutMs;
  }

  /** After `signal` aborted; at most once, for its prompt is settled now (INT11). */
  #runCancelHook(interactionId: InteractionId, { hooks: { onCancel } }: Interaction): void {
    if (!onCancel) return;
    queueMicrotask(() => {
      this.runHook(interactionId, async () => onCancel()).catch((error: unknown) => {
        this.runtime.log.warn({ toolCallId: this.call.toolCallId, error }, 'onCancel failed');
      });
    });
  }

  #whenAborted(): Promise<undefined> {
    return new Promise((resolve) => {
      if (this.signal.aborted) resolve(undefined);
      else this.signal.addEventListener('abort', () => resolve(undefined), { once: true });
    });
  }
}

function asToolError(error: unknown): ToolError {
  if (!(error instanceof RefusalError))
    return new ToolError('tool_error', 'Parley could not store this.', { cause: error });
  const code = error.code === 'closed' ? 'call_closed' : error.code;
  return new ToolError(code, error.code === 'closed' ? 'The call is over.' : error.message, { cause: error });
}
