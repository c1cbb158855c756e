import type { TurnInput } from '@parleyhq/core';
import { ToolError } from '@parleyhq/core';
import { ClaudeProcess, ProcessGone, type ProcessOptions } from './claude-process.ts';
import { type History, toInput } from './history.ts';
import type { ReadCall } from './message-reader.ts';
import type { Asked, Decision, Outcome, PendingCall } from './pending-call.ts';
import type { QueryOptions, Sdk, UserBlock } from './sdk.ts';
import { branchAt, hasEntry, resumeAt } from './transcript.ts';
import type { Workspace } from './workspace.ts';

export interface ConversationOptions {
  readonly load: () => Promise<Sdk>;
  readonly open: (sessionId: string) => Promise<Workspace>;
  readonly tools: readonly string[];
  /** Tools that are held where the SDK can let go of them. */
  readonly deferring: ReadonlySet<string>;
  readonly systemPrompt?: string | undefined;
  readonly model?: string | undefined;
  /** So long a process waits for people; then it goes, and comes back with their answer. */
  readonly liveMs: number;
}

/** What the SDK made of a call that may go on: it wants somebody to be asked, or it has run. */
export type Begun = { readonly asked: Asked } | { readonly outcome: Outcome };

/**
 * A session of Parley with the processes of the SDK that serve it. None of them is needed for anything but speed: what a
 * process knows stands in the log and in the SDK's own record, and the next one is told the rest.
 */
export class Conversation {
  readonly #sessionId: string;
  readonly #options: ConversationOptions;
  #process: ClaudeProcess | undefined;
  readonly #helpers = new Set<ClaudeProcess>();
  /** Of the SDK. */
  #claudeSession = '';
  /** The entry that the process stands at, while it waits. */
  #uuid: string | undefined;
  #window: NodeJS.Timeout | undefined;

  constructor(sessionId: string, options: ConversationOptions) {
    this.#sessionId = sessionId;
    this.#options = options;
  }

  /** A process that writes the next message: the one that waits for exactly these results, else another. */
  async goOn(turn: TurnInput, history: History): Promise<ClaudeProcess> {
    clearTimeout(this.#window);
    const live = this.#process;
    const at = this.#uuid;
    this.#uuid = undefined;
    if (live && !live.isGone && at !== undefined && at === history.point?.uuid) {
      deliver(live, history, turn);
      return live;
    }
    live?.kill();
    this.#process = await this.#start(turn, history);
    return this.#process;
  }

  /** The process stands at a message now: with calls it waits a while for what becomes of them. */
  stand(at: { readonly uuid: string | undefined; readonly sessionId: string | undefined; readonly hasCalls: boolean }) {
    this.#uuid = at.uuid;
    if (at.sessionId !== undefined) this.#claudeSession = at.sessionId;
    if (at.hasCalls) this.#arm();
    return { sessionId: this.#claudeSession, uuid: at.uuid ?? '' };
  }

  /** The call stands in the log: the SDK may look at it. */
  async begin(toolCallId: string, signal: AbortSignal): Promise<Begun> {
    const call = this.#held(toolCallId);
    if (call) {
      call.begun.resolve();
      try {
        return await Promise.race([toAsked(call), toOutcome(call)]);
      } catch (error) {
        if (!(error instanceof ProcessGone) || call.state === 'running') throw error;
      }
    }
    return this.#runAlone(toolCallId, undefined, signal);
  }

  /** Lets a call run, and waits for what comes of it. */
  async run(toolCallId: string, input: unknown, signal: AbortSignal): Promise<Outcome> {
    const decision: Decision = { kind: 'allow', input };
    const call = this.#held(toolCallId);
    if (call) {
      call.decision.resolve(decision);
      return call.result.promise;
    }
    const begun = await this.#runAlone(toolCallId, decision, signal);
    if ('outcome' in begun) return begun.outcome;
    throw new ToolError('denied', begun.asked.reason ?? 'Claude Code does not let this call run.');
  }

  /** What a sub-agent calls, until it ends. */
  innerCalls(toolCallId: string): AsyncIterable<ReadCall> {
    const process = this.#process;
    if (!process || process.isGone) throw new ToolError('interrupted', 'The sub-agent ended with its process.');
    return process.innerCalls(toolCallId);
  }

  /** What became of a call that a sub-agent made. */
  settle(toolCallId: string, isOwn: boolean, outcome: Outcome): void {
    this.#held(toolCallId)?.decision.resolve(toDecision(isOwn, outcome));
  }

  /** A person stopped the turn. */
  async stop(): Promise<void> {
    const left = this.leave();
    this.#process = undefined;
    await Promise.all([left, ...[...this.#helpers].map((process) => process.stop())]);
  }

  /** The turn is over. */
  end(): void {
    this.#process?.end();
    this.#process = undefined;
  }

  /** The process goes: what waits in it is taken up by another one, what runs is ended in order. */
  async leave(): Promise<void> {
    clearTimeout(this.#window);
    const process = this.#process;
    if (!process || process.isGone) return;
    if (process.openCalls.some(({ state }) => state === 'running')) return process.stop();
    await this.#isWritten();
    process.kill();
  }

  /** Nobody has answered for a while: the process goes, and nothing is lost with it. */
  async park(): Promise<void> {
    const process = this.#process;
    if (!process || process.isGone) return;
    const at = this.#uuid;
    const isWritten = await this.#isWritten();
    if (this.#uuid !== at || process.isGone) return; // it went on meanwhile
    const { openCalls } = process;
    if (!isWritten || openCalls.some(({ state }) => state === 'running')) {
      this.#arm(); // something works: it goes when that is done
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

  /** Whether the next process finds the message where this one stands. */
  async #isWritten(): Promise<boolean> {
    if (this.#uuid === undefined) return false;
    const { configDir } = await this.#options.open(this.#sessionId);
    return hasEntry(configDir, this.#claudeSession, this.#uuid);
  }

  #held(toolCallId: string): PendingCall | undefined {
    return this.#process && !this.#process.isGone ? this.#process.call(toolCallId) : undefined;
  }

  async #start(turn: TurnInput, history: History): Promise<ClaudeProcess> {
    const workspace = await this.#options.open(this.#sessionId);
    const { point } = history;
    const place = point && (await resumeAt(workspace.configDir, point.sessionId, point.uuid));
    if (place?.resume !== undefined) this.#claudeSession = place.resume;
    return this.#launch(workspace, turn, place ?? {}, place ? toInput(history) : history.tale);
  }

  /** In a process of its own, which runs this call and asks the model nothing. */
  async #runAlone(toolCallId: string, decision: Decision | undefined, signal: AbortSignal): Promise<Begun> {
    const workspace = await this.#options.open(this.#sessionId);
    const branch = await branchAt(workspace.configDir, toolCallId);
    if (!branch) throw new ToolError('interrupted', 'Claude Code knows nothing of this call any more: call it again.');
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
      return await Promise.race([...(decision ? [] : [toAsked(call)]), toOutcome(call)]);
    } finally {
      this.#helpers.delete(process);
      process.kill();
      await branch.remove();
    }
  }

  async #launch(
    { cwd, env }: Workspace,
    turn: Pick<TurnInput, 'tools' | 'permissionMode'> & { readonly model?: string | undefined },
    place: Pick<QueryOptions, 'resume' | 'resumeSessionAt'>,
    input?: readonly UserBlock[],
  ): Promise<ClaudeProcess> {
    const { load, tools, deferring, systemPrompt, model = turn.model } = this.#options;
    const options: ProcessOptions = {
      cwd,
      env,
      ...(model !== undefined && { model }),
      permissionMode: turn.permissionMode === 'plan' ? 'plan' : 'default',
      tools,
      settings: { cleanupPeriodDays: 36_500 }, // people may answer after more than its thirty days
      systemPrompt: {
        type: 'preset',
        preset: 'claude_code',
        ...(systemPrompt !== undefined && { append: systemPrompt }),
      },
      ...place,
    };
    return new ClaudeProcess(await load(), options, turn.tools, deferring, input);
  }
}

/** What became of the calls: the results of Parley's tools, and why others do not run. */
function deliver(process: ClaudeProcess, { results }: History, { tools }: TurnInput): void {
  const own = new Set(tools.map(({ name }) => name));
  for (const { toolCallId, toolName, text, isError } of results) {
    process.call(toolCallId).decision.resolve(toDecision(own.has(toolName), { text, isError }));
  }
  process.goOn();
}

/** A result of ours is one for the model; where the SDK was to run the call, and did not, it is why. */
function toDecision(isOwn: boolean, outcome: Outcome): Decision {
  return isOwn ? { kind: 'reply', outcome } : { kind: 'deny', message: outcome.text };
}

async function toAsked(call: PendingCall): Promise<Begun> {
  return { asked: await call.asked.promise };
}

async function toOutcome(call: PendingCall): Promise<Begun> {
  return { outcome: await call.result.promise };
}
