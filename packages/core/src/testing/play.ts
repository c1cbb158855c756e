import { toToolError } from '../basics/error.ts';
import type { Json } from '../basics/json.ts';
import type { CodedError } from '../log/event.ts';
import { stopWords } from '../log/settlement-words.ts';
import { callFaults, endedAsking } from '../plugin/call-faults.ts';
import type { CallResult, InnerCall, Tool } from '../plugin/tool.ts';
import type { UnawaitedCall } from '../plugin/unawaited-calls.ts';
import { describeAnswer, type InteractionAnswer } from '../prompt/answer.ts';
import { gateSlot, recoverySlot } from '../prompt/interaction.ts';
import type { InputOf, Parameters } from '../schema/standard-schema.ts';
import { PlayedCallbacks } from './callbacks.ts';
import type { Human } from './human.ts';
import type { Prompt } from './prompt.ts';
import type { Reaction } from './reaction.ts';
import { Run } from './run.ts';
import type { Records, Scene, Slot } from './scene.ts';
import { Stage, settle } from './stage.ts';
import { redactTyped } from './typed-secrets.ts';

export interface PlayOptions<P> {
  /** Arguments as an agent would send them; none by default. */
  readonly args?: InputOf<P>;
  /** Answers its prompts; if absent, the test does. */
  readonly human?: Human;
  /** State shared with other calls; a stage of its own by default. */
  readonly stage?: Stage;
  /** Returns the results of inner calls. */
  readonly callTool?: (call: InnerCall) => Promise<CallResult>;
}

/** Result of a call as an agent sees it. */
export type PlayResult =
  | { readonly result: Json; readonly error?: undefined }
  | { readonly error: CodedError; readonly result?: undefined };

/** Runs a tool without a server: the test provides the people, the clock and the process (PLG5). */
export function playTool<P extends Parameters>(tool: Tool<P>, options: PlayOptions<P> = {}): Play {
  return new Play(tool as Tool, options as PlayOptions<Parameters>);
}

/** A tool call under test. */
export class Play implements Scene {
  readonly stage: Stage;
  readonly tool: Tool;
  readonly toolName: string;
  readonly toolCallId: string;
  readonly args: Json;
  /** Every prompt that was opened, in order. */
  readonly prompts: Prompt[] = [];
  /** Number of runs of each step, by its key. */
  readonly effects: Record<string, number> = {};
  /** Output that it streamed. */
  readonly progress: string[] = [];
  /** Messages to the agent from late answers. */
  readonly messages: string[] = [];
  readonly slots = new Map<string, Slot>();
  readonly records: Records;
  readonly #human: Human | undefined;
  readonly #script: Reaction[];
  readonly #ended: Promise<PlayResult>;
  readonly #watchers = new Set<() => void>();
  #settle: { resolve(result: PlayResult): void; reject(error: unknown): void } = { resolve() {}, reject() {} };
  #outcome: PlayResult | undefined;
  #fault: unknown;
  #run: Run;
  #taken = 0;

  constructor(tool: Tool, { args, human, stage = new Stage(), callTool }: PlayOptions<Parameters>) {
    this.stage = stage;
    this.tool = tool;
    this.toolName = tool.name;
    this.toolCallId = `call-${stage.nextNumber()}`;
    this.args = structuredClone(args ?? {}) as Json;
    this.records = {
      steps: new Map(),
      recalled: new Map(),
      edits: new Map(),
      callTool,
      callbacks: new PlayedCallbacks(stage),
    };
    this.#human = human;
    this.#script = Array.isArray(human) ? [...human] : [];
    this.#ended = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.#ended.catch(() => undefined); // whoever awaits `end` receives the error
    this.#run = this.#start(false);
  }

  /** Returns the next prompt that was not returned yet, once it opens. @throws Error if the call ends without one */
  async prompt(): Promise<Prompt> {
    await this.#until(() => this.prompts.length > this.#taken || this.#outcome !== undefined);
    const prompt = this.prompts[this.#taken];
    if (!prompt) throw new Error(`The call ended without another prompt: ${JSON.stringify(this.#outcome)}`);
    this.#taken += 1;
    return prompt;
  }

  /**
   * Returns the result that the agent sees.
   * @throws Error if the script has too few answers or too many, or one that a server would refuse; or if something failed that
   * the tool did not await
   */
  async end(): Promise<PlayResult> {
    const result = await this.#ended;
    await settle(); // something that was not awaited may fail just after the end
    if (this.#fault !== undefined) throw this.#fault;
    if (this.#script.length === 0) return result;
    throw new Error(`The call ended, and nobody asked for ${JSON.stringify(this.#script)}: ${JSON.stringify(result)}`);
  }

  /** Keys of the callbacks whose addresses the tool requested. */
  get callbacks(): readonly string[] {
    return this.records.callbacks.keys;
  }

  /**
   * Calls back like an outside program (PLG11), once the tool has requested the address.
   * @throws Error if a server would refuse it: a second call, one that is too late, or an invalid value
   */
  post(key: string, value: Json = null): Promise<void> {
    return this.records.callbacks.post(key, value);
  }

  /** Resolves once the tool waits for the callback of this key. @throws Error if the call ends first */
  waiting(key: string): Promise<void> {
    return this.records.callbacks.waiting(key);
  }

  /** Advances the time for all calls of its stage. */
  advance(ms: number): Promise<void> {
    return this.stage.advance(ms);
  }

  /** Simulates a crash: the next process re-enters the handler from the top, and it finds what was recorded (DUR2). */
  crash(): void {
    if (this.#outcome) throw new Error('The call is over: there is nothing to take up again.');
    const wasWaiting = this.#run.isWaiting;
    this.#run.kill();
    if (this.tool.durable === false) {
      this.#closePrompts();
      this.#finish({ error: toToolError(callFaults.notDurable(this.toolName)) });
    } else this.#run = this.#start(!wasWaiting);
  }

  /** Stops the turn like a person: prompts close, `onCancel` runs once for each, and the call ends as cancelled. */
  async stop(): Promise<void> {
    if (this.#outcome) return;
    const open = this.prompts.filter(({ state }) => state === 'open');
    this.#run.kill();
    this.#closePrompts();
    this.#finish({ error: { code: 'cancelled', message: stopWords } });
    for (const { hooks } of open) await hooks.onCancel?.();
  }

  nextInteractionId(slot: string): string {
    return `${this.toolCallId}.${slot === gateSlot ? 0 : this.prompts.length + 1}`;
  }

  addPrompt(prompt: Prompt): void {
    this.prompts.push(prompt);
    this.stage.addPrompt(prompt);
    this.#wake();
    if (prompt.state === 'open') this.meet(prompt);
  }

  voidConsents(): void {
    this.records.edits.clear();
    for (const [name, slot] of this.slots) {
      const isConsent = name !== recoverySlot && slot.prompt.request.interactionType === 'approval';
      if (isConsent) this.slots.set(name, { ...slot, digest: '' });
    }
  }

  /** Shows an open prompt to a person: for the first time, or again after a crash. */
  meet(prompt: Prompt): void {
    if (!this.#human) return;
    void Promise.resolve()
      .then(() => this.#react(prompt))
      .catch((error: unknown) => this.#fail(error));
  }

  /** Stores a lasting consent with the answer that gave it (APR2). */
  keepGrant({ offer }: Prompt, { action, approvalScope: scope, editedArgs, ruleId }: InteractionAnswer): void {
    if (!offer || action !== 'approve' || editedArgs !== undefined || ruleId !== undefined) return;
    if (scope === 'session' || scope === 'always') this.stage.grants.set(offer.key, scope);
  }

  /** Turns a late answer into a message (INT9). */
  followUp({ request, hooks }: Prompt, answer: InteractionAnswer): void {
    if (answer.action === 'cancel') return;
    const usual = describeAnswer(request, { ...answer, toolCallId: this.toolCallId, answerId: 'late' });
    void (async () => hooks.onLateResponse?.(answer))()
      .catch(() => undefined) // as on a server, the default message is then sent
      .then((outcome) => {
        if (outcome && 'text' in outcome) this.messages.push(outcome.text);
        else this.messages.push(outcome ? `${usual}\nNot accepted: ${outcome.refuse}` : usual);
        this.#wake();
      });
  }

  /** Returns the next message of a late answer, once there is one. */
  async message(): Promise<string> {
    await this.#until(() => this.messages.length > 0);
    return this.messages.shift() as string;
  }

  #start(wasInterrupted: boolean): Run {
    const run = new Run(this);
    run.live(Promise.resolve().then(() => run.handle(wasInterrupted))).then(
      (result) => this.#finish({ result: this.redact(result) }),
      (error: unknown) => {
        const { code, message } = toToolError(error);
        this.#finish({ error: this.redact({ code, message }) });
      },
    );
    return run;
  }

  /**
   * Closes and reports prompts that are open when the handler has finished, which happens if an `await` is missing. Uses the
   * server's words (PLG8, INT12).
   */
  #endAsking(): void {
    const open = this.prompts.filter(({ state }) => state === 'open');
    if (open.length === 0) return;
    const prompts = open.map(({ title, prompt, request }) => title ?? prompt ?? request.slot);
    this.stage.makeLog().warn(endedAsking, { prompts });
    this.#closePrompts();
  }

  #finish(outcome: PlayResult): void {
    if (this.#outcome) return;
    this.#endAsking();
    this.#outcome = outcome;
    this.records.callbacks.end();
    this.#run?.end();
    this.#settle.resolve(outcome);
    this.#wake();
  }

  #closePrompts(): void {
    for (const prompt of this.prompts) if (prompt.state === 'open') prompt.close();
  }

  async #react(prompt: Prompt): Promise<void> {
    const reaction = typeof this.#human === 'function' ? await this.#human(prompt) : this.#script.shift();
    if (reaction === undefined) {
      if (typeof this.#human === 'function') return;
      throw new Error(
        `The script has no answer to ${JSON.stringify(prompt.title ?? prompt.prompt ?? prompt.request.slot)}.`,
      );
    }
    if (reaction === 'crash') this.crash();
    else if (reaction !== 'timeout') prompt.answer(reaction);
    else if (prompt.expiresAt === undefined) throw new Error('The prompt has no deadline: it never expires.');
    else await this.stage.advance(prompt.expiresAt - this.stage.now);
  }

  /** Ends the play with an error, because script and tool do not match; whoever waits receives it. */
  #fail(error: unknown): void {
    this.#fault = error;
    this.#run.kill();
    this.#settle.reject(error);
    this.#wake();
  }

  /** Logs a call that was not awaited, as a server does; here a failure also fails the test (PLG8). */
  reportUnawaited({ words, request, failure }: UnawaitedCall): void {
    this.stage.makeLog().warn(words, { tool: this.toolName, request });
    if (!failure || this.#fault !== undefined) return;
    const { message } = toToolError(failure.error);
    this.#fault = new Error(`Tool "${this.toolName}": ${words}: ${this.redact(message)}`, { cause: failure.error });
  }

  redact<T>(value: T): T {
    return redactTyped(value, this.prompts);
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      if (this.#fault !== undefined) throw this.#fault;
      await new Promise<void>((resolve) => {
        this.#watchers.add(resolve);
      });
    }
  }

  #wake(): void {
    for (const wake of this.#watchers) wake();
    this.#watchers.clear();
  }
}
