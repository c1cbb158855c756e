import type { Awaitable } from '../basics/awaitable.ts';
import type { Instant, SessionId, ToolCallId, TurnId } from '../basics/id.ts';
import type { Json, Jsonified } from '../basics/json.ts';
import type { FileReference } from '../form/file.ts';
import type { CodedError } from '../log/event.ts';
import type { GrantKey } from '../prompt/grant.ts';
import type { Actor, ApprovalScope } from '../prompt/interaction.ts';
import type { OfferedRule } from '../prompt/rule.ts';
import type { InputOf, Parameters, ValuesOf } from '../schema/standard-schema.ts';
import type { Approval, ApprovalDemand } from './approve.ts';
import type { AskOptions } from './ask.ts';
import type { CallDescription, InteractionDemand, InteractionResult, OfOwnFields } from './demand.ts';
import type { PluginState } from './plugin-state.ts';

/** Who could answer in this session right now. The members are live (INT14). */
export interface Availability {
  readonly available: boolean;
  readonly supportedCount: number;
  readonly enabledCount: number;
}

/** Stored approvals of this plugin. `sessionId` defaults to the call's own (APR1). */
export interface Approvals {
  /** The scope of the grant that covers the key, if there is one. Uses up a `once` grant. */
  get(key: GrantKey, sessionId?: SessionId): Promise<ApprovalScope | undefined>;
  set(key: GrantKey, scope: ApprovalScope, sessionId?: SessionId): Promise<void>;
  clearSession(sessionId?: SessionId): Promise<void>;
}

export interface PluginLog {
  debug(message: string, details?: object): void;
  info(message: string, details?: object): void;
  warn(message: string, details?: object): void;
  error(message: string, details?: object): void;
}

/** A call made inside another one. */
export interface InnerCall {
  /** Unique in the session; generated if absent. */
  readonly toolCallId?: ToolCallId;
  readonly toolName: string;
  readonly args: Json;
  /** Who makes it; shown to the people who are asked. */
  readonly from: string;
}

export type CallResult = ({ readonly result: Json } | { readonly error: CodedError }) & {
  /** What people said while they answered the call's prompts, in words for the model (APR5). */
  readonly note?: string;
  /** The grant that answered the tool's own `ctx.approve`. */
  readonly grantId?: string;
  /** A secret that a person typed was taken out of it (INT17). */
  readonly isRedacted?: true;
};

export interface CallbackOptions {
  /** What may be posted: anything else is refused where it is sent, and the callback waits on. Any JSON if absent. */
  readonly schema?: Parameters;
  /** How long it may be called, in milliseconds; as long as the call is open if absent. */
  readonly ttlMs?: number;
  /**
   * A person's browser brings it, instead of a program: the address is the one to send a browser back to, with a `state` that must go along.
   * What comes are the other members of its query, each a text (PLG11).
   */
  readonly browser?: true;
}

export interface WaitOptions {
  /** In milliseconds; null or absent for as long as the callback may be called. */
  readonly timeoutMs?: number | null;
  /** Whose browser may bring it: the `owner` of an answer's `by`, or else its `principal`. */
  readonly from?: string;
  /**
   * Where that browser goes first, for whoever opens the callback's address: told to the person of `from` and to nobody else. It must be an http
   * or https address with the callback's `state`, which gets a secret part here: what comes back without it is refused (PLG11).
   */
  readonly sendTo?: string;
  /**
   * Gives the wait up once it aborts, unless something came first: what comes then is refused, and the promise rejects with `withdrawn`. A
   * `ToolError` as its reason says why.
   */
  readonly signal?: AbortSignal | undefined;
}

/** What a tool's handler gets besides its arguments (PLG3). */
export interface ToolContext {
  readonly sessionId: SessionId;
  readonly toolCallId: ToolCallId;
  readonly turnId: TurnId;
  readonly toolName: string;
  /** Aborts when the turn is cancelled or the tool's time is up. */
  readonly signal: AbortSignal;
  readonly log: PluginLog;
  readonly interaction: Availability;
  readonly approvals: Approvals;
  readonly state: PluginState;
  /**
   * Asks the people of this session and waits.
   * @returns the value of the hook's `complete`, a `PendingResult`, or `{ok: false, error: 'timeout'}`
   * @throws ToolError `interaction_unavailable`, `cancelled`, `handler_error`, `handler_timeout`, `invalid_outcome`,
   *   `reprompt_limit`, `call_closed`, or `tool_error` for an invalid request
   */
  requestInteraction<D extends InteractionDemand, Id extends string = string>(
    demand: OfOwnFields<D, Id>,
  ): Promise<InteractionResult<D>>;
  /**
   * Shows a form made from the schema of a flat object and asks again until it is valid. The key names the prompt within the call.
   * @returns the schema's output
   * @throws ToolError `cancelled` or `timeout`
   */
  ask<S extends Parameters>(
    key: string,
    schema: S,
    options?: AskOptions<ValuesOf<S>, InputOf<S>>,
  ): Promise<ValuesOf<S>>;
  /**
   * The whole gate: looks for a grant, asks if there is none, stores the grant of the chosen scope (APR2).
   * @throws ToolError as `requestInteraction` does; denials, cancels and timeouts are returned
   */
  approve<A = Record<string, unknown>>(demand: ApprovalDemand<A>): Promise<Approval<A>>;
  /** Whether somebody consents; false on a denial, a cancel or a timeout. */
  confirm(key: string, text: string): Promise<boolean>;
  /**
   * Runs `fn` once and records its value, which a re-entered call gets back. Put what must happen only once here. Throws are
   * not recorded (DUR3).
   * @returns the value as JSON, even the first time
   * @throws what `fn` throws; ToolError `invalid_result` if the value is not JSON
   */
  step<T>(key: string, fn: () => Awaitable<T>): Promise<Jsonified<T>>;
  /**
   * Reads a file that a person gave in an answer of this session, from its beginning each time (PLG13). Its bytes are never in memory
   * as a whole, and never in the log.
   * @throws ToolError `tool_error` for what is no file of an answer; `file_gone` where its bytes are not here any more;
   *   `call_closed` if this call is over
   */
  openFile(file: FileReference): Promise<ReadableStream<Uint8Array>>;
  /** Milliseconds since 1970. A re-entered call gets the same values again. */
  now(): Instant;
  /** A random UUID. A re-entered call gets the same values again. */
  uuid(): string;
  /**
   * An address where a program outside ends a wait of this call, with one POST of JSON: a payment, a build, a form elsewhere. It carries a
   * secret, so whoever has it may call; a re-entered call gets the same one. What comes before `waitFor` is kept (PLG11).
   * @throws ToolError `tool_error` for a key that was taken, or an option that does not fit
   */
  callback(key: string, options?: CallbackOptions): Promise<string>;
  /**
   * Waits for what was posted to the callback of this key; like a wait for people it costs the tool no time, and survives a restart.
   * @param schema - what becomes of it; as it came without one
   * @throws ToolError `timeout` if nothing came in time; `withdrawn` once `signal` aborts; `tool_error` if what came does not fit `schema`
   */
  waitFor<S extends Parameters | undefined = undefined>(
    key: string,
    schema?: S,
    options?: WaitOptions,
  ): Promise<S extends Parameters ? ValuesOf<S> : Json>;
  /**
   * Runs another call inside this one and waits for its result. Meant for the calls of sub-agents, whose names appear in the
   * prompts (AGT7). The call ends with the server, since its caller is gone after a restart.
   * @throws ToolError `call_closed` if this call is over
   */
  callTool(call: InnerCall): Promise<CallResult>;
  /** Takes the session out of plan mode, into mode `default`, on a person's behalf. Does nothing in other modes. */
  leavePlanMode(by: Actor): Promise<void>;
  /** Streams output of the tool to the tabs. It is not stored (EVT4). */
  progress(text: string): void;
  /** Makes an error to throw; the model reads its code and message. */
  error(code: string, message: string): Error;
}

/** When Parley itself asks before the handler runs (APR3). */
export type ApprovalRule<A = Record<string, unknown>> = 'never' | 'always' | ((args: A) => Awaitable<boolean>);

/** A tool (PLG2). */
export interface Tool<P extends Parameters = Parameters> {
  readonly name: string;
  readonly description: string;
  readonly parameters: P;
  readonly approval?: ApprovalRule<ValuesOf<P>>;
  /**
   * How the gate puts a call to people; it shows the bare arguments otherwise. If a `ctx.approve` of the same call says
   * the same, the gate's yes answers it (APR3).
   */
  describe?(args: ValuesOf<P>): Awaitable<CallDescription>;
  /** Wider consents that the gate offers beside the exact arguments; the plugin's `covers` judges them (APR7). */
  rules?(args: ValuesOf<P>): Awaitable<readonly OfferedRule[]>;
  /** Changes nothing, so it may run again and runs in plan mode. */
  readonly readOnly?: boolean;
  /** Changes only files, so mode `acceptEdits` lets it run without asking (APR3). */
  readonly edits?: boolean;
  /** Only asks people: a program's token may call it from outside (ASK2), and of what the configuration and the mode say only a policy's `deny` applies (ASK3). */
  readonly asking?: boolean;
  /** Its call ends with the request that waits for it, and nobody fetches the result later: a program acts on it, no model reads it (ASK4). */
  readonly endsWithRequest?: boolean;
  /** If false, a restart closes its prompts instead of re-entering the call (DUR6). */
  readonly durable?: boolean;
  /**
   * While it waits it does nothing, and its code around prompts is safe to run again at any time: after a start its calls stay asleep until an
   * answer, a deadline or a cancel needs their code. Calls of other tools are entered again soon after each start (DUR10).
   */
  readonly hibernates?: boolean;
  readonly onInterrupted?: 'ask' | 'retry' | 'fail';
  /** The program outside that it belongs to, where the plugin only passes calls on: its prompts name it (AGT4). */
  readonly source?: { readonly kind: 'mcp'; readonly name: string };
  /** Which definition this is, where it may change while people trust it: a grant of an exact call covers that one only (APR3). */
  readonly revision?: string;
  /** The definition is not the one that people let run: no policy, mode or `approval` lets it run unasked (APR3). */
  readonly isChanged?: boolean;
  /** Limit in milliseconds, not counting waits for people. 10 minutes by default. */
  readonly timeoutMs?: number;
  handler(args: ValuesOf<P>, ctx: ToolContext): Awaitable<unknown>;
}

/** Types a tool's arguments from its parameters and returns it unchanged. */
export function defineTool<P extends Parameters>(tool: Tool<P>): Tool<P> {
  return tool;
}
