import { type ChildProcess, spawn } from 'node:child_process';
import { cutLifeline, type ToolOffer, tieToLifeline } from '@parleyhq/core';
import { Deferred } from './deferred.ts';
import { fitResult } from './large-result.ts';
import { MessageQueue } from './message-queue.ts';
import { makeOwnServer, ownToolName, toOwnArgs } from './own-tools.ts';
import { type CallDecision, type CallOutput, type ModelCall, PendingCall } from './pending-call.ts';
import type {
  ContentBlock,
  HookInput,
  HookOutput,
  PermissionRequest,
  PermissionResult,
  Query,
  QueryOptions,
  Sdk,
  SdkMessage,
  UserBlock,
  UserInput,
} from './sdk.ts';
import { toText } from './tool-text.ts';

/** Time limit of hooks, in seconds as the SDK expects; longer than any wait. */
const hookSeconds = 30 * 24 * 3600;

/** How long a process may take to end by itself, in ms. */
const endMs = 3_000;

/** How long a process may outlive a killed server: it still writes its last entries, from which the next process resumes. */
const orphanSeconds = 2;

export type ProcessOptions = Pick<
  QueryOptions,
  | 'cwd'
  | 'additionalDirectories'
  | 'settingSources'
  | 'env'
  | 'model'
  | 'permissionMode'
  | 'settings'
  | 'tools'
  | 'systemPrompt'
  | 'sessionId'
  | 'resume'
  | 'resumeSessionAt'
>;

/** A message for the reader of a process; `call` means that the SDK has come to a call. */
export type ProcessMessage = Exclude<SdkMessage, { type: 'user' }> | { readonly type: 'call' };

/** The process ended, and with it the calls it held. */
export class ProcessGone extends Error {
  override readonly name = 'ProcessGone';
  readonly code = 'claude_stopped';
}

/**
 * A process of the SDK. Its calls wait here until Parley decides: nothing runs before it is in the log, and the model is
 * not asked again before the results are.
 */
export class ClaudeProcess {
  readonly messages = new MessageQueue<ProcessMessage>();
  /** Whether the process is ending: nothing more may be sent to it. */
  isGone = false;
  readonly #calls = new Map<string, PendingCall>();
  readonly #inner = new Map<string, MessageQueue<ModelCall>>();
  readonly #query: Query;
  readonly #inputEnd = new Deferred<void>();
  readonly #ended = new Deferred<void>();
  readonly #exited = new Deferred<void>();
  readonly #offers: readonly ToolOffer[];
  readonly #deferring: ReadonlySet<string>;
  readonly #resultsDir: string;
  #child: ChildProcess | undefined;
  /** Resolves when the results of the current message are in the log, with what people said to its calls. */
  #batch = new Deferred<readonly string[]>();
  #messageId: string | undefined;

  /**
   * @param input what the model receives; absent if the process should only run a deferred call
   * @param deferring tools that are held in their hook
   */
  constructor(
    sdk: Sdk,
    options: ProcessOptions,
    offers: readonly ToolOffer[],
    deferring: ReadonlySet<string>,
    input?: readonly UserBlock[],
  ) {
    this.#offers = offers;
    this.#deferring = deferring;
    this.#resultsDir = options.additionalDirectories[0];
    const hook = (run: (input: HookInput) => Promise<HookOutput>) => [
      { timeout: hookSeconds, onFailure: 'block' as const, hooks: [run] },
    ];
    this.#query = sdk.query({
      prompt: this.#prompt(input),
      options: {
        ...options,
        includePartialMessages: true,
        verbatimPrompts: true, // otherwise "@/etc/passwd" in a message reads that file without asking anybody
        mcpServers: offers.length > 0 ? makeOwnServer(offers, (id) => this.#reply(id)) : {},
        hooks: {
          PreToolUse: hook((call) => this.#gate(call)),
          PostToolBatch: hook((batch) => this.#endBatch(batch)),
          // A process without input only runs a call: the next process passes its result to the model.
          ...(!input && { UserPromptSubmit: hook(() => new Promise(() => undefined)) }),
        },
        canUseTool: (_, toolInput, request) => this.#permit(toolInput, request),
        spawnClaudeCodeProcess: ({ command, args, cwd, env }) => {
          const [file, tied] = tieToLifeline(command, args, orphanSeconds);
          const child = spawn(file, tied, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'ignore', 'pipe'] });
          child.once('exit', () => {
            cutLifeline(child); // also ends commands that it left running
            this.#exited.resolve();
          });
          child.once('error', () => this.#exited.resolve()); // the process could not start; the SDK reports why
          this.#child = child;
          return child;
        },
      },
    });
    void this.#pump();
  }

  /** Converts what the model sent for a call to the argument names of its tool. */
  toArgs(toolName: string, input: unknown): unknown {
    return toOwnArgs(this.#offers, toolName, input);
  }

  /** Returns the queue of a sub-agent's calls, which ends with the sub-agent. */
  innerCalls(toolUseId: string): MessageQueue<ModelCall> {
    const known = this.#inner.get(toolUseId) ?? new MessageQueue<ModelCall>();
    this.#inner.set(toolUseId, known);
    return known;
  }

  /** Returns the model's call with this id, whether or not the SDK has come to it. */
  call(id: string): PendingCall {
    const known = this.#calls.get(id) ?? new PendingCall(id);
    this.#calls.set(id, known);
    return known;
  }

  get openCalls(): readonly PendingCall[] {
    return [...this.#calls.values()].filter(({ state }) => state !== 'done');
  }

  /**
   * Lets the SDK ask the model again, once the results of the message are in the log. @param words - what people said to calls that
   * the SDK has run, which the model reads, too
   */
  proceed(words: readonly string[]): void {
    this.#batch.resolve(words);
    for (const { id } of [...this.#calls.values()].filter(({ state }) => state === 'done')) this.#calls.delete(id);
  }

  /** Lets the process end by itself because it has nothing more to do; kills it if that takes too long. */
  end(): void {
    this.isGone = true;
    this.#inputEnd.resolve();
    setTimeout(() => this.kill(), endMs).unref();
  }

  /** Interrupts running commands in an orderly way, then ends the process. */
  async stop(): Promise<void> {
    if (this.isGone) return this.kill();
    this.isGone = true;
    const isHeld = this.openCalls.every(({ state }) => state === 'held');
    if (!isHeld) {
      const timer = new Promise((resolve) => setTimeout(resolve, endMs).unref());
      const interrupted = this.#query.interrupt().then(() => this.#ended.promise);
      await Promise.race([interrupted.catch(() => undefined), timer]); // an interrupt also ends running commands
    }
    this.kill();
  }

  /** Resolves once the process has exited: until then it may still write files. */
  get exited(): Promise<void> {
    return this.#exited.promise;
  }

  /** Kills the process at once: one that is only asked to end would report to the model that people refused. */
  kill(): void {
    this.isGone = true;
    if (this.#child) this.#child.kill('SIGKILL');
    else this.#exited.resolve();
    this.#inputEnd.resolve();
    this.#finish(new ProcessGone('The Claude process was ended.'));
  }

  async *#prompt(input: readonly UserBlock[] | undefined): AsyncGenerator<UserInput> {
    if (input) yield { type: 'user', message: { role: 'user', content: input }, parent_tool_use_id: null };
    await this.#inputEnd.promise; // the SDK calls hooks and permissions only while the input is open
  }

  async #pump(): Promise<void> {
    try {
      for await (const message of this.#query) this.#take(message);
      this.#finish(undefined);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      this.#finish(new ProcessGone(reason, { cause }));
    }
  }

  #take(message: SdkMessage): void {
    if (message.type !== 'user') {
      if ('parent_tool_use_id' in message && message.parent_tool_use_id !== null) {
        if (message.type === 'assistant') this.#takeInner(message.parent_tool_use_id, message.message.content);
        return;
      }
      this.#noteMessage(message);
      this.messages.push(message);
      if (message.type === 'result') this.end();
      return;
    }
    const { content } = message.message;
    for (const block of Array.isArray(content) ? (content as ContentBlock[]) : []) {
      if (block.type !== 'tool_result' || block.tool_use_id === undefined) continue;
      this.#inner.get(block.tool_use_id)?.end();
      this.call(block.tool_use_id).end({ text: toText(block.content), isError: block.is_error === true });
      this.messages.push({ type: 'call' });
    }
  }

  #takeInner(parent: string, content: readonly ContentBlock[]): void {
    for (const { type, id, name, input } of content)
      if (type === 'tool_use' && id && name)
        this.innerCalls(parent).push({ id, name, input: this.toArgs(name, input) });
  }

  #noteMessage(message: Exclude<SdkMessage, { type: 'user' }>): void {
    const id =
      message.type === 'assistant'
        ? message.message.id
        : message.type === 'stream_event'
          ? message.event.message?.id
          : undefined;
    if (id === undefined || id === this.#messageId) return;
    this.#messageId = id;
    this.#batch = new Deferred();
  }

  #finish(error: Error | undefined): void {
    this.isGone = true;
    this.#ended.resolve();
    this.messages.end(error);
    for (const calls of this.#inner.values()) calls.end();
    for (const call of this.openCalls) call.abandon(error ?? new ProcessGone('The Claude process has ended.'));
  }

  /** Runs before each call, and before the SDK's own permission check. */
  async #gate({ tool_name: name, tool_input: input, tool_use_id: id }: HookInput): Promise<HookOutput> {
    const call = this.call(id);
    this.messages.push({ type: 'call' });
    if (ownToolName(name) !== undefined) return toHook({ kind: 'allow', input }); // Parley's MCP server holds it
    if (this.#deferring.has(name)) {
      call.isDeferrable = true;
      return toHook(await call.hold());
    }
    call.state = 'held';
    const decision = await Promise.race([call.begun.promise, call.decision.promise]);
    call.state = 'running';
    return decision ? toHook(decision) : {};
  }

  /** Runs if the SDK's own rules require a person's permission. */
  async #permit(
    input: unknown,
    { toolUseID, decisionReason, suggestions = [] }: PermissionRequest,
  ): Promise<PermissionResult> {
    const call = this.call(toolUseID);
    call.asked.resolve({ ...(decisionReason && { reason: decisionReason }), suggestions });
    const decision = await call.hold();
    if (decision.kind === 'allow') return { behavior: 'allow', updatedInput: decision.input ?? input };
    return {
      behavior: 'deny',
      message: decision.kind === 'deny' ? decision.message : 'Nobody decided about this call.',
    };
  }

  async #reply(id: string): Promise<CallOutput> {
    const decision = await this.call(id).hold();
    if (decision.kind === 'reply') return fitResult(decision.output, this.#resultsDir, id);
    return { text: decision.kind === 'deny' ? decision.message : 'There is no result.', isError: true };
  }

  /** Runs after the calls of a message, before the model is asked again: neither their results nor a yes has a place for words. */
  async #endBatch({ agent_id: subAgent, tool_calls: calls = [] }: HookInput): Promise<HookOutput> {
    const words = subAgent === undefined ? await this.#batch.promise : await this.#wordsOf(calls);
    if (words.length === 0) return {};
    return { hookSpecificOutput: { hookEventName: 'PostToolBatch', additionalContext: words.join('\n\n') } };
  }

  async #wordsOf(calls: NonNullable<HookInput['tool_calls']>): Promise<readonly string[]> {
    const words = calls.map(async ({ tool_name: name, tool_use_id: id }) => {
      const said = await this.#calls.get(id)?.words.promise;
      return said === undefined ? [] : [`${name}: ${said}`];
    });
    return (await Promise.all(words)).flat();
  }
}

function toHook(decision: CallDecision): HookOutput {
  const hookEventName = 'PreToolUse';
  switch (decision.kind) {
    case 'allow':
      return { hookSpecificOutput: { hookEventName, permissionDecision: 'allow', updatedInput: decision.input } };
    case 'deny':
      return {
        hookSpecificOutput: { hookEventName, permissionDecision: 'deny', permissionDecisionReason: decision.message },
      };
    case 'defer':
      return { hookSpecificOutput: { hookEventName, permissionDecision: 'defer' } };
    case 'reply':
      throw new Error('A hook cannot return a result.');
    default:
      return decision satisfies never;
  }
}
