import {
  type Answer,
  type CallResult,
  type ChatEvent,
  type CodedError,
  type InnerCall,
  type InputOf,
  type InteractionAnswer,
  type Json,
  type Parameters,
  secretFields,
  settlementKey,
  type Tool,
  type ToolContext,
  ToolError,
} from '@parleyhq/core';
import { callbackKeys, defaultDurations } from '@parleyhq/runtime';
import type { Human } from './human.ts';
import type { LogLine } from './log-line.ts';
import { actorOf } from './process.ts';
import { Prompt, type PromptHandlers } from './prompt.ts';
import type { Reaction } from './reaction.ts';
import { settle } from './settle.ts';
import { Stage } from './stage.ts';
import { World } from './world.ts';

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

const staysAwake =
  'A call stays in memory: its tool does not say "hibernates: true", it does more than wait, or it holds a secret, a file or an onCancel.';

/** A tool call under test. */
export class Play {
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
  /** Its replies to comments, and undefined for each without one (REV4). */
  readonly replies: (string | undefined)[] = [];
  /** Keys of the callbacks whose addresses the tool requested. */
  readonly callbacks: string[] = [];
  readonly #awaited = new Set<string>();
  readonly #human: Human | undefined;
  readonly #callTool: PlayOptions<Parameters>['callTool'];
  readonly #script: Reaction[];
  readonly #watchers = new Set<() => void>();
  #outcome: PlayResult | undefined;
  #fault: unknown;
  #taken = 0;
  /** Answers of the play, by their id. */
  readonly #answers = new Map<string, Answer>();
  /** Sends answers that a crash may have lost once more, like a client. */
  readonly #unacknowledged = new Set<() => void>();

  constructor(tool: Tool, { args, human, stage = new Stage(), callTool }: PlayOptions<Parameters>) {
    this.stage = stage;
    this.tool = tool;
    this.toolName = tool.name;
    this.toolCallId = `call-${this.#world.nextNumber()}`;
    this.args = structuredClone(args ?? {}) as Json;
    this.#human = human;
    this.#callTool = callTool;
    this.#script = Array.isArray(human) ? [...human] : [];
    const { toolCallId, toolName } = this;
    this.#world.begin({
      call: { toolCallId, toolName, args: this.args, by: actorOf(stage.person), authorised: { by: 'tool' } },
      tool,
      handle: (handed, context) => tool.handler(handed, this.#watch(context)),
      onEvent: (event) => this.#follow(event),
      onRecord: (key) => this.#noteRecord(key),
      onCrash: () => {
        for (const prompt of this.prompts)
          if (prompt.expiresAt !== undefined)
            prompt.expiresAt = Math.max(prompt.expiresAt, stage.now + defaultDurations.restartGraceMs);
      },
      onRestart: () => {
        for (const send of this.#unacknowledged) send();
        for (const prompt of this.prompts) if (prompt.state === 'open') this.#meet(prompt);
      },
      onLog: (line) => this.#noteLog(line),
      onFault: (error) => this.#fail(error),
    });
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
    await this.#until(() => this.#outcome !== undefined);
    await settle(); // something that was not awaited may fail just after the end
    if (this.#fault !== undefined) throw this.#fault;
    const result = this.#outcome as PlayResult;
    if (this.#script.length === 0) return result;
    throw new Error(`The call ended, and nobody asked for ${JSON.stringify(this.#script)}: ${JSON.stringify(result)}`);
  }

  /**
   * Calls back like an outside program (PLG11), once the tool has requested the address.
   * @throws Error if a server would refuse it: a second call, one that is too late, or an invalid value
   */
  async post(key: string, value: Json = null): Promise<void> {
    const refuse = (words: string) => new Error(`The callback "${key}": ${words}`);
    await this.#until(() => this.callbacks.includes(key) || this.#outcome !== undefined);
    await settle(); // let the tool reach its wait, as it would while an outside program takes its time
    const misfit = await this.#world.process.post(this.toolCallId, key, value).catch((cause: unknown) => {
      const words = 'it has ended, or its address was never requested (a server answers 410).';
      throw new Error(refuse(words).message, { cause });
    });
    if (misfit !== undefined) throw refuse(`it does not take this (a server answers 400): ${misfit}`);
  }

  /** Resolves once the tool waits for the callback of this key. @throws Error if the call ends first */
  async waiting(key: string): Promise<void> {
    await this.#until(() => this.#awaited.has(key) || this.#outcome !== undefined);
    if (!this.#awaited.has(key)) throw new Error(`The call ended, and did not wait for "${key}".`);
  }

  /** Advances the time for all calls of its stage. */
  advance(ms: number): Promise<void> {
    return this.stage.advance(ms);
  }

  /**
   * Simulates a crash of the process, with all calls of the stage: the next one re-enters the handler from the top, and it finds
   * what was recorded (DUR2).
   */
  crash(): void {
    if (this.#outcome) throw new Error('The call is over: there is nothing to take up again.');
    this.#world.crash();
  }

  /**
   * Lets all calls of the stage leave memory, as on a server after a quiet minute (DUR10): what a call waits for wakes it, and its
   * handler is entered again from the top.
   * @throws Error if one of them must stay in memory
   */
  async sleep(): Promise<void> {
    await settle(); // an answer that is under way wakes the call
    if (!(await this.#world.process.sleep())) throw new Error(staysAwake);
  }

  /**
   * Stops the turn like a person: prompts close, `onCancel` runs once for each, and all calls of the stage end as cancelled.
   */
  async stop(): Promise<void> {
    await settle(); // a call is stored before anybody can stop it
    if (this.#outcome) return;
    await this.#world.process.stop();
    await settle(); // `onCancel` runs afterwards
  }

  /** Returns the next message of a late answer, once there is one. */
  async message(): Promise<string> {
    await this.#until(() => this.messages.length > 0);
    return this.messages.shift() as string;
  }

  /**
   * Returns the next reply to a comment, once `onComment` has decided; undefined if it returned nothing.
   * @throws Error if the hook failed, or the call ends first
   */
  async reply(): Promise<string | undefined> {
    await this.#until(() => this.replies.length > 0 || this.#outcome !== undefined);
    if (this.replies.length === 0) throw new Error('The call ended without another reply.');
    return this.replies.shift();
  }

  get #world(): World {
    return World.of(this.stage);
  }

  /** Makes the handler's context: steps are counted, output is kept, and inner calls are answered by the test. */
  #watch(context: ToolContext): ToolContext {
    const { process } = this.#world;
    return {
      ...context,
      step: (key, fn) => context.step(key, typeof fn === 'function' ? () => this.#count(key, fn) : fn),
      progress: (text) => {
        if (process.isAlive && !this.#outcome) this.progress.push(process.secrets.redact(String(text)));
      },
      callTool: async (call) => {
        if (this.#callTool) return this.#callTool(call);
        const words = `callTool: no other tool is played: pass "callTool" to answer for "${call.toolName}".`;
        throw new ToolError('tool_error', words);
      },
    };
  }

  #count<T>(key: string, fn: () => T): T {
    this.effects[key] = (this.effects[key] ?? 0) + 1;
    return fn();
  }

  #follow(event: ChatEvent): void {
    const { payload } = event;
    const isOwn = 'toolCallId' in payload && payload.toolCallId === this.toolCallId;
    const prompt = 'interactionId' in payload ? this.#find(payload.interactionId) : undefined;
    if (event.type === 'tool_result' && isOwn) {
      const { result = null, error } = event.payload;
      this.#outcome = error ? { error } : { result };
    } else if (event.type === 'interaction_request' && isOwn) this.#open(new Prompt(event.payload, this.#handlers));
    else if (event.type === 'interaction_comment' && isOwn && event.payload.isAskers)
      this.replies.push(event.payload.text);
    else if (event.type === 'user_message' && prompt) this.messages.push(event.payload.text);
    else if (prompt) followPrompt(prompt, event, this.#answers);
    this.#wake();
  }

  #find(interactionId: string | undefined): Prompt | undefined {
    return this.prompts.find(({ request }) => request.interactionId === interactionId);
  }

  #open(prompt: Prompt): void {
    this.prompts.push(prompt);
    this.#meet(prompt);
  }

  /** Shows a prompt to the person: for the first time, or again after a crash. */
  #meet(prompt: Prompt): void {
    if (!this.#human) return;
    void Promise.resolve() // a prompt may be pending from the start
      .then(() => (prompt.state === 'open' ? this.#react(prompt) : undefined))
      .catch((error: unknown) => this.#fail(error));
  }

  async #react(prompt: Prompt): Promise<void> {
    const reaction = typeof this.#human === 'function' ? await this.#human(prompt) : this.#script.shift();
    if (reaction === undefined && typeof this.#human === 'function') return;
    const name = JSON.stringify(prompt.title ?? prompt.prompt ?? prompt.request.slot);
    if (reaction === undefined) throw new Error(`The script has no answer to ${name}.`);
    if (reaction === 'crash') this.crash();
    else if (reaction === 'sleep') await this.sleep().then(() => this.#meet(prompt));
    else if (reaction !== 'timeout') prompt.answer(reaction);
    else if (prompt.expiresAt === undefined) throw new Error('The prompt has no deadline: it never expires.');
    else await this.stage.advance(prompt.expiresAt - this.stage.now);
  }

  get #handlers(): PromptHandlers {
    const fail = (error: unknown) => this.#fail(error);
    return {
      person: this.stage.person,
      answer: ({ request }, answer, by) => {
        const answerId = `answer-${this.#answers.size + 1}`;
        this.#answers.set(answerId, answer);
        const acknowledge = () => this.#unacknowledged.delete(send);
        const send = () => {
          if (this.#world.log.has(settlementKey(request.interactionId))) acknowledge();
          else this.#world.process.answer(request, answerId, answer, by).then(acknowledge, fail);
        };
        this.#unacknowledged.add(send);
        send();
      },
      comment: ({ request }, text, by) => void this.#world.process.comment(request, text, by).catch(fail),
      expire: ({ request: { interactionId }, expiresAt = 0 }) =>
        void this.#world.process.expire(interactionId, expiresAt).catch(fail),
    };
  }

  #noteRecord(key: string): void {
    const [opened, wait] = [callbackKeys.opened(''), callbackKeys.wait('')];
    if (key.startsWith(opened) && !this.callbacks.includes(key.slice(opened.length)))
      this.callbacks.push(key.slice(opened.length));
    if (key.startsWith(wait)) this.#awaited.add(key.slice(wait.length));
    this.#wake();
  }

  /** A call of the context that failed and was not awaited also fails the test (PLG8). */
  #noteLog({ message: words, details = {} }: LogLine): void {
    if (words === 'onComment returned no reply') this.replies.push(undefined);
    if (words === 'onComment failed')
      this.#fault ??= new Error(`Tool "${this.toolName}": ${words}.`, { cause: details });
    this.#wake();
    if (!('request' in details && 'message' in details)) return;
    this.#fault ??= new Error(`Tool "${this.toolName}": ${words}: ${details.message}`);
  }

  /** Ends the play with an error, because script and tool do not match; whoever waits receives it. */
  #fail(error: unknown): void {
    this.#fault = error;
    this.#wake();
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

/** Changes a prompt's state after an event. @param answers - by their id, with their secrets */
function followPrompt(prompt: Prompt, event: ChatEvent, answers: ReadonlyMap<string, Answer>): void {
  switch (event.type) {
    case 'interaction_response': {
      const { toolCallId: _, answerId, ...stored } = event.payload;
      const typed = answers.get(answerId)?.input ?? {};
      const secrets = secretFields(prompt.request).flatMap((id) => (id in typed ? [[id, typed[id]]] : []));
      const input = stored.input && { input: { ...stored.input, ...Object.fromEntries(secrets) } };
      prompt.state = 'answered';
      prompt.answered = { ...stored, ...input, at: event.timestamp } as InteractionAnswer;
      break;
    }
    case 'interaction_expired':
      prompt.state = 'expired';
      break;
    case 'interaction_pending':
      prompt.state = 'pending';
      prompt.expiresAt = event.payload.expiresAt === undefined ? undefined : Date.parse(event.payload.expiresAt);
      break;
    case 'interaction_closed': {
      const hasExpired = prompt.state === 'expired' || (prompt.state === 'open' && event.payload.reason === 'timeout');
      prompt.state = hasExpired ? 'expired' : 'closed';
      break;
    }
    default:
  }
}
