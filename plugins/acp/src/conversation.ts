import { mkdir } from 'node:fs/promises';
import { isRecord, type PluginHost, ToolError, type ToolOffer, type TurnInput, wordsOfMessage } from '@parleyhq/core';
import { AgentProcess } from './agent-process.ts';
import { AgentTurn } from './agent-turn.ts';
import type { AgentConfig } from './config.ts';
import type { OwnToolServer } from './own-tools.ts';
import { toPrompt } from './prompt-blocks.ts';
import { Elicitation, OwnCall, Permission } from './request.ts';
import { type Saved, SavedSession } from './saved-session.ts';
import { type Handlers, methods, type PromptBlock, RequestError } from './sdk.ts';
import { describeNews, readFacts, readSettings, type SessionFacts } from './session-facts.ts';
import { chooseMode, chooseModel, modeOf, type SessionSettings } from './session-settings.ts';

/** How long a prompt may take to end after it was cancelled, in ms. */
const cancelMs = 5_000;

/** How long after the end of a connection it is known whether the process has died, in ms. */
const goneMs = 50;

type Opened = SessionSettings & { readonly sessionId: string };

export interface ConversationOptions {
  readonly agent: string;
  readonly config: AgentConfig;
  readonly cwd: string;
  readonly liveMs: number;
  readonly host: Pick<PluginHost, 'state' | 'log'>;
  readonly ownTools: OwnToolServer;
}

/** A session of Parley with the process that serves it. */
export class Conversation {
  readonly #sessionId: string;
  readonly #options: ConversationOptions;
  readonly #saved: SavedSession;
  #process: AgentProcess | undefined;
  /** Resolves when the last message has reached the agent or failed to: a turn that was stopped may still be starting the process. */
  #begun: Promise<unknown> = Promise.resolve();
  #acpSession: string | undefined;
  #turn: AgentTurn | undefined;
  #offers: readonly ToolOffer[] = [];
  /** Resolves when the agent has answered the last prompt: it takes one at a time. */
  #prompted: Promise<void> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;
  /** What the agent says of its session, and what people were shown of it. */
  #facts: SessionFacts = {};
  #shown: SessionFacts = {};
  #isClosed = false;
  #isLeft = false;

  constructor(sessionId: string, options: ConversationOptions) {
    this.#sessionId = sessionId;
    this.#options = options;
    this.#saved = new SavedSession(options.host.state, `session:${options.agent}:${sessionId}`);
  }

  get turn(): AgentTurn | undefined {
    return this.#turn;
  }

  /**
   * Returns the agent's turn for the next message, which it begins if need be. @throws ToolError `agent_stopped` if the agent died
   * in the middle of it: nothing runs a second time
   */
  async proceed(input: TurnInput, signal: AbortSignal): Promise<AgentTurn> {
    if (this.#turn?.turnId === input.turnId) return this.#turn;
    const begun = this.#begun.then(() => this.#begin(input, signal));
    this.#begun = begun.catch(() => undefined); // the turn that it belongs to reports it
    return begun;
  }

  async #begin(input: TurnInput, signal: AbortSignal): Promise<AgentTurn> {
    clearTimeout(this.#idle);
    this.#offers = input.tools;
    const saved = await this.#saved.read();
    if (saved.turnId === input.turnId)
      throw new ToolError(
        'agent_stopped',
        'The process of the agent ended in the middle of its turn. The next message starts it again.',
      );
    const turn = new AgentTurn(input.turnId);
    const { seq, ...news } = await readNews(input, saved);
    await this.#prompted;
    clearTimeout(this.#idle); // the end of that prompt has set it
    signal.throwIfAborted();
    const process = await this.#ready(turn, saved, signal);
    try {
      const prompt = await toPrompt(input, news, process.initialized);
      signal.throwIfAborted();
      this.#turn = turn;
      await this.#choose(process, input.permissionMode);
      this.#shown = saved.facts ?? this.#shown;
      this.#show(turn, readSettings(this.#settings));
      await this.#saved.change(({ words = [] }) => ({
        acpSession: this.#acpSession as string,
        turnId: input.turnId,
        seq,
        words: words.slice(saved.words?.length), // some may have been noted since
        facts: this.#shown,
      }));
      signal.throwIfAborted();
      this.#prompted = this.#prompt(process, turn, prompt);
      return turn;
    } catch (error) {
      this.#turn = undefined;
      this.#rest();
      throw error;
    }
  }

  /** Cancels the turn, and ends the process if it does not obey or is still starting. */
  async stop(): Promise<void> {
    const begun = this.#begun;
    this.#cancel();
    const timer = setTimeout(() => this.#process?.kill(), cancelMs);
    await begun;
    await this.#prompted;
    clearTimeout(timer);
  }

  #cancel(): void {
    const turn = this.#turn;
    if (!turn || turn.isOver || !this.#process || this.#acpSession === undefined) return;
    turn.cancel(); // some agents never end a prompt whose requests stay open
    const sent = this.#process.agent.notify(methods.agent.session.cancel, { sessionId: this.#acpSession });
    sent.catch(() => undefined); // it has ended
  }

  /** Notes what people said with an answer, which the agent learns with the next prompt. */
  noteWords(said: string): Promise<void> {
    return this.#saved.change(({ words = [], ...saved }) => ({ ...saved, words: [...words, said] }));
  }

  /** Ends the process; the next message starts another one. */
  async release(): Promise<void> {
    clearTimeout(this.#idle);
    await this.#process?.end();
  }

  /** Ends the process because the server stops. An open turn stays as it is stored: the next server ends it. */
  async leave(): Promise<void> {
    this.#isLeft = true;
    await this.release();
  }

  /** Ends the process because the session is being deleted. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    this.#process?.kill();
    await this.#process?.exited;
    await this.#saved.delete();
  }

  async #prompt(process: AgentProcess, turn: AgentTurn, prompt: PromptBlock[]): Promise<void> {
    const sessionId = this.#acpSession as string;
    try {
      const { stopReason, ...more } = await process.agent.request(methods.agent.session.prompt, {
        sessionId,
        prompt,
      });
      await this.#keepFacts();
      turn.end(faultOf(stopReason), (more as { usage?: unknown }).usage);
    } catch (error) {
      const fault = toFault(await process.faultOf(error));
      if (!this.#isLeft) turn.end(fault);
    } finally {
      this.#rest();
    }
  }

  /** Ends the process if no message comes for a while. */
  #rest(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.release(), this.#options.liveMs).unref();
  }

  /** Returns a process that knows the session, as far as the agent can restore it. */
  async #ready(turn: AgentTurn, { acpSession }: Saved, signal: AbortSignal): Promise<AgentProcess> {
    if (this.#process && !this.#process.isGone) return this.#process;
    await this.#process?.end(); // two processes of one session would write the same files
    const { agent, config, cwd, host } = this.#options;
    await mkdir(cwd, { recursive: true, mode: 0o700 });
    signal.throwIfAborted();
    const process = new AgentProcess(agent, config, cwd, this.#handlers);
    this.#process = process;
    if (this.#isClosed || this.#isLeft) process.kill();
    void process.exited.then((fault) => {
      if (this.#process !== process) return;
      this.#options.ownTools.remove(this.#sessionId);
      if (this.#turn && !this.#turn.isOver && !this.#isLeft) {
        host.log.warn(`the process of the agent "${agent}" has ended`, { stderr: process.tail });
        this.#turn.end(fault);
      }
    });
    await process.begin();
    try {
      await this.#open(process, turn, acpSession);
    } catch (error) {
      const fault = toFault(await process.faultOf(error));
      process.kill();
      throw fault;
    }
    return process;
  }

  async #open(process: AgentProcess, turn: AgentTurn, acpSession: string | undefined): Promise<void> {
    const { agentCapabilities = {} } = process.initialized;
    const tools = () => ({ offers: this.#offers, call: this.#callOwn });
    const mcpServers = agentCapabilities.mcpCapabilities?.http
      ? [await this.#options.ownTools.add(this.#sessionId, tools)]
      : [];
    const place = { cwd: this.#options.cwd, mcpServers };
    if (acpSession !== undefined) {
      const known = { ...place, sessionId: acpSession };
      const { session } = methods.agent;
      try {
        // updates while it loads repeat what the log has: no turn takes them
        if (agentCapabilities.sessionCapabilities?.resume)
          this.#settings = await process.agent.request(session.resume, known);
        else if (agentCapabilities.loadSession) this.#settings = await process.agent.request(session.load, known);
        else throw new RequestError(-32601, 'It cannot restore sessions.');
        this.#acpSession = acpSession;
        return;
      } catch (error) {
        if (!(error instanceof RequestError)) throw error;
        turn.note(`*${this.#options.agent} could not restore its earlier conversation, and knows nothing of it.*`);
      }
    }
    const { sessionId, ...settings } = await process.agent.request<Opened>(methods.agent.session.new, place);
    this.#settings = settings;
    this.#acpSession = sessionId;
  }

  #settings: SessionSettings | null | undefined;
  /** The mode in which the agent started. */
  #firstMode: string | undefined;

  /** Sets the mode and the model, which agents forget with their process. @throws ToolError `agent_mode` if it refuses */
  async #choose(process: AgentProcess, permissionMode: string): Promise<void> {
    const { config } = this.#options;
    const sessionId = this.#acpSession as string;
    try {
      const { modes } = config;
      this.#firstMode ??= modeOf(this.#settings ?? {});
      // otherwise it would stay in the mode before
      const mode = modes[permissionMode as 'default'] ?? modes.default ?? this.#firstMode;
      this.#settings = await chooseMode(process.agent, sessionId, this.#settings ?? {}, mode);
      this.#settings = await chooseModel(process.agent, sessionId, this.#settings, config.model);
    } catch (error) {
      const { code, message } = toFault(await process.faultOf(error));
      if (code === 'agent_stopped') throw new ToolError(code, message);
      throw new ToolError('agent_mode', `The agent does not work as the settings say: ${message}`, { cause: error });
    }
  }

  get #handlers(): Handlers {
    const turnOf = (sessionId: unknown) => (sessionId === this.#acpSession ? this.#turn : undefined);
    return {
      update: (sessionId, update) => {
        const turn = turnOf(sessionId);
        const facts = readFacts(update, this.#settings);
        if (facts) this.#show(turn, facts);
        else turn?.update(update);
      },
      permission: (request, signal) => {
        const permission = new Permission(request);
        const turn = turnOf(request.sessionId);
        if (!turn || permission.options.length === 0) permission.cancel();
        return turn?.ask(permission, { ...request.toolCall }, this.#takenBack(signal)) ?? permission.answered;
      },
      elicitation: (request, signal) => {
        const elicitation = new Elicitation(request);
        const { sessionId, toolCallId } = request as { sessionId?: unknown; toolCallId?: unknown };
        const turn = turnOf(sessionId ?? this.#acpSession);
        if (!turn) elicitation.cancel();
        const alone = { kind: 'question', title: 'A question' };
        return (
          turn?.ask(elicitation, toolCallId == null ? alone : { toolCallId }, this.#takenBack(signal)) ??
          elicitation.answered
        );
      },
    };
  }

  /** Shows what is new of the session: in its turn, or else in the next one. */
  #show(turn: AgentTurn | undefined, facts: SessionFacts): void {
    this.#facts = { ...this.#facts, ...facts };
    if (!turn || turn.isOver) return;
    const news = describeNews(this.#shown, this.#facts);
    if (news !== undefined && turn.report(news)) this.#shown = { ...this.#shown, ...this.#facts };
  }

  /** Saves what people were shown of the session, so that the next process does not show it again. */
  #keepFacts(): Promise<void> {
    const isNew = ({ facts = {} }: Saved) => describeNews(facts, this.#shown) !== undefined;
    return this.#saved.change((saved) => (isNew(saved) ? { ...saved, facts: this.#shown } : saved));
  }

  /** Returns a signal that aborts with this one, unless that is because the process has died: its turn then ends as a whole. */
  #takenBack(signal: AbortSignal): AbortSignal {
    const taken = new AbortController();
    const look = () => !this.#process?.isGone && taken.abort();
    signal.addEventListener('abort', () => setTimeout(look, goneMs), { once: true });
    return taken.signal;
  }

  readonly #callOwn = async (toolName: string, args: unknown, signal: AbortSignal) => {
    const call = new OwnCall(toolName, args);
    if (!this.#turn) call.cancel();
    return this.#turn?.ask(call, { title: toolName }, this.#takenBack(signal)) ?? call.answered;
  };
}

/** Returns what people wrote since the agent's last prompt. */
async function readNews(input: TurnInput, { seq: known = 0, words = [] }: Saved) {
  const events = await input.read(known);
  const messages = events.flatMap((event) => (event.type === 'user_message' ? [event.payload] : []));
  const text = [...words, ...messages.map(wordsOfMessage)].join('\n\n');
  return { text, files: messages.flatMap(({ files = [] }) => files), seq: events.at(-1)?.seq ?? known };
}

function faultOf(stopReason: string): ToolError | undefined {
  if (stopReason === 'refusal') return new ToolError('refusal', 'The agent declined to go on.');
  if (stopReason === 'max_tokens') return new ToolError('max_tokens', 'The agent reached its limit of tokens.');
  if (stopReason === 'max_turn_requests')
    return new ToolError('max_turn_requests', 'The agent reached its limit of requests in a turn.');
  return undefined;
}

function toFault(error: unknown): ToolError {
  if (error instanceof ToolError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof RequestError && error.code === -32000)
    return new ToolError(
      'unauthorised',
      `The agent is not signed in: start it once in a terminal and sign in there. ${message}`,
    );
  const { details } = (error instanceof RequestError && isRecord(error.data) ? error.data : {}) as {
    details?: unknown;
  };
  return new ToolError('agent_failed', [message, ...(typeof details === 'string' ? [details] : [])].join(': '), {
    cause: error,
  });
}
