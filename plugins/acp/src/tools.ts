import { defineTool, isSameJson, type Json, type Tool, type ToolContext, ToolError, toToolError } from '@parleyhq/core';
import { type AgentCall, type CallEvent, type CallKind, callKinds } from './agent-call.ts';
import type { AgentTurn } from './agent-turn.ts';
import { askElicitation } from './elicit.ts';
import { askPermission, type Permitted } from './permission.ts';
import type { OwnCall, OwnResult } from './request.ts';

/** Kinds of calls that change nothing, so that they run in plan mode. */
const reading: ReadonlySet<CallKind> = new Set(['read', 'search', 'think', 'fetch', 'switch_mode', 'question']);

export interface CallHost {
  /** The agent's name. */
  readonly agent: string;
  readonly promptTimeoutMs: number | null;
  turnOf(sessionId: string): AgentTurn | undefined;
  /** Notes what people said with an answer, which the agent learns with the next prompt. */
  noteWords(sessionId: string, words: string): Promise<void>;
}

/** The tools that stand for the calls of an agent, one for each kind. The agent runs the calls; people answer its requests. */
export function makeTools(host: () => CallHost): Tool[] {
  return callKinds.map((kind) =>
    defineTool({
      name: kind,
      description: `A call of kind "${kind}", which the agent runs.`,
      parameters: { type: 'object' },
      readOnly: reading.has(kind),
      durable: false, // the request dies with the agent's process
      timeoutMs: 7 * 24 * 3_600_000,
      handler: (args, ctx) => new CallHandler(host(), ctx, args as Json).run(),
    }),
  );
}

/** Follows one call of the agent until it ends, and asks people whatever the agent asks for it. */
class CallHandler {
  readonly #host: CallHost;
  readonly #ctx: ToolContext;
  /** The arguments of the call as the log has them; the agent may have changed them since. */
  readonly #logged: Json;
  readonly #turn: AgentTurn;
  readonly #call: AgentCall;
  #asked = 0;
  #denial: string | undefined;

  constructor(host: CallHost, ctx: ToolContext, args: Json) {
    const turn = host.turnOf(ctx.sessionId);
    const call = turn?.find(ctx.toolCallId);
    if (!turn || !call) throw new ToolError('orphaned', 'The process of the agent has ended, and this call with it.');
    this.#host = host;
    this.#ctx = ctx;
    this.#logged = args;
    this.#turn = turn;
    this.#call = call;
  }

  async run(): Promise<string> {
    const call = this.#call;
    call.isBegun = true;
    const working: Promise<void>[] = [];
    for await (const event of call.events) {
      const handled = this.#handle(event);
      handled.catch(() => undefined); // thrown below, once the call has ended
      working.push(handled);
    }
    await Promise.all(working);
    if (this.#turn.death) throw this.#turn.death;
    if (this.#denial !== undefined) throw this.#ctx.error('denied', this.#denial);
    if (call.hasFailed) throw this.#ctx.error('tool_error', call.output || 'It failed.');
    return call.output;
  }

  async #handle(event: CallEvent): Promise<void> {
    const ctx = this.#ctx;
    if (event.type === 'inner') {
      const { id, kind, args } = event.call;
      await ctx.callTool({ toolCallId: id, toolName: kind, args, from: this.#host.agent });
      this.#turn.refuse(event.call);
      return;
    }
    const { request } = event;
    this.#asked += 1;
    const isAsLogged = isSameJson(this.#logged, this.#call.args);
    const { agent, promptTimeoutMs: timeoutMs } = this.#host;
    const asking = { agent, number: this.#asked, timeoutMs, isAsLogged };
    try {
      if (request.type === 'elicitation')
        await this.#noteWords(
          `To your question “${request.message}” a person said`,
          await askElicitation(ctx, request, asking),
        );
      else if (request.type === 'own') request.answer(await this.#callOwn(request));
      else await this.#note(await askPermission(ctx, this.#call, request, asking));
    } catch (error) {
      const { code } = toToolError(error);
      if (code === 'withdrawn') return; // the agent no longer waits, or has died
      request.refuse();
      throw error;
    }
  }

  /** Keeps what people said for the agent, and ends a call that they did not allow: some agents say nothing more of it. */
  async #note({ isAllowed, words }: Permitted): Promise<void> {
    await this.#noteWords(`“${this.#call.title}” was ${isAllowed ? '' : 'not '}allowed`, words);
    if (isAllowed) return;
    this.#denial = words ?? 'A person did not allow this.';
    this.#call.end();
  }

  async #noteWords(about: string, words: string | undefined): Promise<void> {
    if (words !== undefined) await this.#host.noteWords(this.#ctx.sessionId, `${about}: ${words}`);
  }

  async #callOwn({ toolName, args, signal }: OwnCall): Promise<OwnResult> {
    const calling = this.#ctx.callTool({ toolName, args: args as Json, from: this.#host.agent });
    const called = await Promise.race([calling, withdrawn(signal)]);
    const note = called.note === undefined ? '' : `\n\n(${called.note})`;
    if ('error' in called) return { text: `${called.error.code}: ${called.error.message}${note}`, isError: true };
    const text = typeof called.result === 'string' ? called.result : JSON.stringify(called.result);
    return { text: `${text}${note}`, isError: false };
  }
}

/** Rejects when the signal aborts. */
function withdrawn(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(new ToolError('withdrawn', 'The agent no longer waits.'));
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
