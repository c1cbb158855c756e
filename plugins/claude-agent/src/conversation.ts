import type { TurnInput } from '@parleyhq/core';
import { ToolError } from '@parleyhq/core';
import { saveAttached } from './attached-files.ts';
import { type Briefing, toInput } from './briefing.ts';
import { ClaudeProcess, ProcessGone, type ProcessOptions } from './claude-process.ts';
import type { Asked, CallDecision, CallOutput, ModelCall, PendingCall } from './pending-call.ts';
import type { QueryOptions, Sdk, SettingSource, UserBlock } from './sdk.ts';
import { branchAt, hasEntry, resumeAt } from './transcript.ts';
import type { Workspace } from './workspace.ts';

export interface ConversationOptions {
  readonly load: () => Promise<Sdk>;
  readonly open: (sessionId: string) => Promise<Workspace>;
  readonly tools: readonly string[];
  /** Tools whose calls wait in their hook, because the SDK can defer a call only there. */
  readonly deferring: ReadonlySet<string>;
  readonly systemPrompt?: string | undefined;
  readonly model?: string | undefined;
  readonly settingSources: readonly SettingSource[];
  /** How long a process waits for people, in ms. After that it ends, and another process handles the answer. */
  readonly liveMs: number;
}

/** Fixed here because the SDK's own default changes with its versions. */
const defaultModel = 'claude-sonnet-5-5';

/** What the SDK did with a call: asked for permission, or ran it. */
export type Begun = { readonly asked: Asked } | { readonly output: CallOutput };

/**
 * A session of Parley with the SDK processes that serve it. Keeping a process only saves time: all that it knows is in the log
 * and in the SDK's own files, from which another process can continue.
 */
export class Conversation {
  readonly #sessionId: string;
  readonly #options: ConversationOptions;
  #process: ClaudeProcess | undefined;
  readonly #helpers = new Set<ClaudeProcess>();
  /** All processes that have not exited yet. */
  readonly #processes = new Set<ClaudeProcess>();
  /** Id of the SDK's session. */
  #claudeSession = '';
  /** The last entry of the process in the SDK's files, while it waits. */
  #uuid: string | undefined;
  #window: NodeJS.Timeout | undefined;

  constructor(sessionId: string, options: ConversationOptions) {
    this.#sessionId = sessionId;
    this.#options = options;
  }

  async workingFolder(): Promise<string> {
    return (await this.#options.open(this.#sessionId)).cwd;
  }

  /** Returns the process that writes the next message: the one that waits for exactly these results, else a new one. */
  async proceed(turn: TurnInput, read: Briefing): Promise<ClaudeProcess> {
    const briefing = await saveAttached(turn, read, async () => (await this.#options.open(this.#sessionId)).resultsDir);
    clearTimeout(this.#window);
    const live = this.#process;
    const at = this.#uuid;
    this.#uuid = undefined;
    if (live && !live.isGone && at !== undefined && at === briefing.point?.uuid) {
      deliver(live, briefing, turn);
      return live;
    }
    live?.kill();
    this.#process = await this.#start(turn, briefing);
    return this.#process;
  }

  /** Notes the position of the message that the process has written. If it has calls, the process waits a while for results. */
  setPosition(at: {
    readonly uuid: string | undefined;
    readonly sessionId: string | undefined;
    readonly hasCalls: boolean;
  }) {
    this.#uuid = at.uuid;
    if (at.sessionId !== undefined) this.#claudeSession = at.sessionId;
    if (at.hasCalls) this.#arm();
    return { sessionId: this.#claudeSession, uuid: at.uuid ?? '' };
  }

  /** Lets the SDK check its own rules for a call that is in the log. */
  async begin(toolCallId: string, signal: AbortSignal): Promise<Begun> {
    const call = this.#held(toolCallId);
    if (call) {
      call.begun.resolve();
      try {
        return await Promise.race([toAsked(call), toOutput(call)]);
      } catch (error) {
        if (!(error instanceof ProcessGone) || call.state === 'running') throw error;
      }
    }
    return this.#runAlone(toolCallId, undefined, signal);
  }

  /** Lets a call run, and waits for its result. */
  async run(toolCallId: string, input: unknown, signal: AbortSignal): Promise<CallOutput> {
    const decision: CallDecision = { kind: 'allow', input };
    const call = this.#held(toolCallId);
    if (call) {
      call.decision.resolve(decision);
      return call.result.promise;
    }
    const begun = await this.#runAlone(toolCallId, decision, signal);
    if ('output' in begun) return begun.output;
    throw new ToolError('denied', begun.asked.reason ?? 'Claude Code does not allow this call.');
  }

  /** Yields the calls of a sub-agent, until it ends. */
  innerCalls(toolCallId: string): AsyncIterable<ModelCall> {
    const process = this.#process;
    if (!process || process.isGone) throw new ToolError('interrupted', 'The sub-agent ended with its process.');
    return process.innerCalls(toolCallId);
  }

  /** Passes the result of one of its calls to a sub-agent, and what people said to it. */
  settle(toolCallId: string, isOwn: boolean, output: CallOutput, words: string | undefined): void {
    const call = this.#held(toolCallId);
    call?.words.resolve(call.state === 'done' ? words : undefined);
    call?.decision.resolve(toDecision(isOwn, output));
  }

  /** Ends the processes because a person stopped the turn. */
  async stop(): Promise<void> {
    const released = this.release();
    this.#process = undefined;
    await Promise.all([released, ...[...this.#helpers].map((process) => process.stop())]);
  }

  /** Lets the process end because the turn is over. */
  end(): void {
    this.#process?.end();
    this.#process = undefined;
  }

  /** Resolves once all processes have exited and write nothing more. */
  async exited(): Promise<void> {
    await Promise.all([...this.#processes].map((process) => process.exited));
  }

  /** Kills all processes because the session is being deleted. */
  async close(): Promise<void> {
    await this.stop();
    for (const process of this.#processes) process.kill();
    await this.exited();
  }

  /** Ends the process: another one continues its waiting calls, and running ones are ended in an orderly way. */
  async release(): Promise<void> {
    clearTimeout(this.#window);
    const process = this.#process;
    if (!process || process.isGone) return;
    if (process.openCalls.some(({ state }) => state === 'running')) return process.stop();
    await this.#isWritten();
    process.kill();
  }

  /** Ends the process because nobody has answered for a while. Nothing is lost with it. */
  async park(): Promise<void> {
    const process = this.#process;
    if (!process || process.isGone) return;
    const at = this.#uuid;
    const isWritten = await this.#isWritten();
    if (this.#uuid !== at || process.isGone) return; // the turn has continued meanwhile
    const { openCalls } = process;
    if (!isWritten || openCalls.some(({ state }) => state === 'running')) {
      this.#arm(); // something is running: try again later
      return;
    }
    const [only] = openCalls;
    if (openCalls.length === 1 && only?.isDeferrable) only.decision.resolve({ kind: 'defer' });
    else process.kill();
    process.isGone = true;
  }

  #arm(): void {
    clearTimeout(this.#window);
    this.#window = setTimeout(() => void this.park(), this.#options.liveMs).unref();
  }

  /** Whether the SDK has stored the message, so that another process can resume after it. */
  async #isWritten(): Promise<boolean> {
    if (this.#uuid === undefined) return false;
    const { configDir } = await this.#options.open(this.#sessionId);
    return hasEntry(configDir, this.#claudeSession, this.#uuid);
  }

  #held(toolCallId: string): PendingCall | undefined {
    return this.#process && !this.#process.isGone ? this.#process.call(toolCallId) : undefined;
  }

  async #start(turn: TurnInput, briefing: Briefing): Promise<ClaudeProcess> {
    const workspace = await this.#options.open(this.#sessionId);
    const { point } = briefing;
    const resumption = point && (await resumeAt(workspace.configDir, point.sessionId, point.uuid));
    if (resumption?.resume !== undefined) this.#claudeSession = resumption.resume;
    return this.#launch(workspace, turn, resumption ?? {}, resumption ? toInput(briefing) : briefing.retelling);
  }

  /** Runs the call in a separate process, which sends nothing to the model. */
  async #runAlone(toolCallId: string, decision: CallDecision | undefined, signal: AbortSignal): Promise<Begun> {
    const workspace = await this.#options.open(this.#sessionId);
    const branch = await branchAt(workspace.configDir, toolCallId);
    if (!branch) throw new ToolError('interrupted', 'Claude Code no longer knows this call. Make it again.');
    const process = await this.#launch(
      workspace,
      { tools: [], permissionMode: 'default' },
      { resume: branch.sessionId },
    );
    this.#helpers.add(process);
    try {
      if (signal.aborted) throw signal.reason;
      const call = process.call(toolCallId);
      if (decision) call.decision.resolve(decision);
      else call.begun.resolve();
      return await Promise.race([...(decision ? [] : [toAsked(call)]), toOutput(call)]);
    } finally {
      this.#helpers.delete(process);
      process.kill();
      await branch.remove();
    }
  }

  async #launch(
    { cwd, resultsDir, env }: Workspace,
    turn: Pick<TurnInput, 'tools' | 'permissionMode'> & { readonly model?: string | undefined },
    resumption: Pick<QueryOptions, 'resume' | 'resumeSessionAt'>,
    input?: readonly UserBlock[],
  ): Promise<ClaudeProcess> {
    const { load, tools, deferring, systemPrompt, settingSources, model = turn.model ?? defaultModel } = this.#options;
    const options: ProcessOptions = {
      cwd,
      additionalDirectories: [resultsDir],
      settingSources,
      env,
      model,
      permissionMode: turn.permissionMode === 'plan' ? 'plan' : 'default',
      tools,
      settings: { cleanupPeriodDays: 36_500 }, // people may answer after its default of 30 days
      systemPrompt: {
        type: 'preset',
        preset: 'claude_code',
        ...(systemPrompt !== undefined && { append: systemPrompt }),
      },
      ...resumption,
    };
    const process = new ClaudeProcess(await load(), options, turn.tools, deferring, input);
    this.#processes.add(process);
    void process.exited.then(() => this.#processes.delete(process));
    return process;
  }
}

/** Passes what the process waits for: results of Parley's tools, why others did not run, and what people said to those that did. */
function deliver(process: ClaudeProcess, { results }: Briefing, { tools }: TurnInput): void {
  const own = new Set(tools.map(({ name }) => name));
  const ran = results.filter(({ toolCallId }) => process.call(toolCallId).state === 'done');
  for (const { toolCallId, toolName, text, isError } of results) {
    process.call(toolCallId).decision.resolve(toDecision(own.has(toolName), { text, isError }));
  }
  process.proceed(ran.flatMap(({ toolName, words }) => (words === undefined ? [] : [`${toolName}: ${words}`])));
}

/** For one of Parley's tools the output is the result; for one of the SDK's, it is the reason why the tool did not run. */
function toDecision(isOwn: boolean, output: CallOutput): CallDecision {
  return isOwn ? { kind: 'reply', output } : { kind: 'deny', message: output.text };
}

async function toAsked(call: PendingCall): Promise<Begun> {
  return { asked: await call.asked.promise };
}

async function toOutput(call: PendingCall): Promise<Begun> {
  return { output: await call.result.promise };
}
