import type { Awaitable } from '../basics/awaitable.ts';
import type { Instant, SessionId, ToolCallId, TurnId } from '../basics/id.ts';
import type { Json, Jsonified } from '../basics/json.ts';
import type { FileReference } from '../form/file.ts';
import type { CodedError, Payload } from '../log/event.ts';
import type { GrantKey } from '../prompt/grant.ts';
import type { Actor, ApprovalScope } from '../prompt/interaction.ts';
import type { OfferedRule } from '../prompt/rule.ts';
import type { InputOf, Parameters, ValuesOf } from '../schema/standard-schema.ts';
import type { Approval, ApprovalDemand } from './approve.ts';
import type { AskOptions } from './ask.ts';
import type { CallDescription, InteractionDemand, InteractionResult, OfOwnFields } from './demand.ts';
import type { PluginState } from './plugin-state.ts';

/** Clients that could answer in this session. The members are updated continuously (INT14). */
export interface Availability {
  readonly available: boolean;
  readonly supportedCount: number;
  readonly enabledCount: number;
}

/** Stored approvals of this plugin. `sessionId` defaults to the call's own (APR1). */
export interface Approvals {
  /** Returns the scope of the grant that covers the key, if there is one. Uses up a `once` grant. */
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
  /** Name of the caller; shown to the people who are asked. */
  readonly from: string;
}

export type CallResult = ({ readonly result: Json } | { readonly error: CodedError }) & {
  /** What people wrote while they answered the call's prompts, worded for the model (APR5). */
  readonly note?: string;
  /** What people attached to those answers (REV6). */
  readonly files?: readonly FileReference[];
  /** The grant that answered the tool's own `ctx.approve`. */
  readonly grantId?: string;
  /** The label of its rule: see `ruleOfUse`. */
  readonly rule?: string;
  /** What passed the tool's own `ctx.approve` in place of a person. */
  readonly authorised?: Payload<'tool_result'>['authorised'];
  /** Set if a secret that a person typed was removed from it (INT17). */
  readonly isRedacted?: true;
};

export interface CallbackOptions {
  /**
   * Schema of what may be posted: anything else is rejected with an error for its sender, and the callback keeps waiting. Any
   * JSON if absent.
   */
  readonly schema?: Parameters;
  /** How long it may be called, in milliseconds; as long as the call is open if absent. */
  readonly ttlMs?: number;
  /**
   * Makes it a redirect address for a person's browser, instead of an address for a program, with a `state` that must be passed
   * along. The result is the other members of the query, as texts (PLG11).
   */
  readonly browser?: true;
}

export interface WaitOptions {
  /** Milliseconds; null or absent to wait as long as the callback may be called. */
  readonly timeoutMs?: number | null;
  /** Person whose browser may call back: the `owner` of an answer's `by`, or else its `principal`. */
  readonly from?: string;
  /**
   * Address to which the browser goes first when it opens the callback's address; shown to the person in `from` only. It must be
   * an http or https address with the callback's `state`, which gets a secret part here: a callback without it is rejected
   * (PLG11).
   */
  readonly sendTo?: string;
  /**
   * Stops waiting when it aborts, unless something came first: later callbacks are refused, and the promise rejects with
   * `withdrawn`. If the abort reason is a `ToolError`, its message is shown.
   */
  readonly signal?: AbortSignal | undefined;
}

/** Second argument of a tool's handler (PLG3). */
export interface ToolContext {
  readonly sessionId: SessionId;
  readonly toolCallId: ToolCallId;
  readonly turnId: TurnId;
  readonly toolName: string;
  /** Aborts when the turn is cancelled or the tool times out. */
  readonly signal: AbortSignal;
  readonly log: PluginLog;
  readonly interaction: Availability;
  readonly approvals: Approvals;
  readonly state: PluginState;
  /**
   * Asks the people of this session and waits.
   * @returns the value of the hook's `complete`, a `PendingResult`, or `{ok: false, error: 'timeout'}`
   * @throws ToolError `interaction_unavailable`, `cancelled`, `handler_error`, `handler_timeout`, `invalid_outcome`,
   * `reprompt_limit`, `call_closed`, or `tool_error` for an invalid request
   */
  requestInteraction<D extends InteractionDemand, Id extends string = string>(
    demand: OfOwnFields<D, Id>,
  ): Promise<InteractionResult<D>>;
  /**
   * Shows a form made from the schema of a flat object and asks again until the values are valid. The key identifies the prompt
   * within the call.
   * @returns the schema's output
   * @throws ToolError `cancelled` or `timeout`
   */
  ask<S extends Parameters>(
    key: string,
    schema: S,
    options?: AskOptions<ValuesOf<S>, InputOf<S>>,
  ): Promise<ValuesOf<S>>;
  /**
   * Gets consent: looks for a grant, asks if there is none, and stores a grant of the chosen scope (APR2).
   * @throws ToolError like `requestInteraction`; denials, cancels and timeouts are returned
   */
  approve<A = Record<string, unknown>>(demand: ApprovalDemand<A>): Promise<Approval<A>>;
  /** Whether somebody consents; false on a denial, a cancel or a timeout. */
  confirm(key: string, text: string): Promise<boolean>;
  /**
   * Runs `fn` once and records its value, which a re-entered call gets back. Use it for what must happen only once. Errors are
   * not recorded (DUR3).
   * @returns the value as JSON, even the first time
   * @throws what `fn` throws; ToolError `invalid_result` if the value is not JSON
   */
  step<T>(key: string, fn: () => Awaitable<T>): Promise<Jsonified<T>>;
  /**
   * Reads a file that a person gave in an answer of this session, from the beginning each time (PLG13). It is streamed, so its
   * bytes are never in memory as a whole, and never in the log.
   * @throws ToolError `tool_error` if it is not a file of an answer; `file_gone` if its bytes are no longer stored;
   * `call_closed` if this call has ended
   */
  openFile(file: FileReference): Promise<ReadableStream<Uint8Array>>;
  /** Returns milliseconds since 1970. A re-entered call gets the same values again. */
  now(): Instant;
  /** Returns a random UUID. A re-entered call gets the same values again. */
  uuid(): string;
  /**
   * Returns an address at which an outside program can end a wait of this call with one POST of JSON: a payment, a build, an
   * external form. It contains a secret, so anybody who has it may call; a re-entered call gets the same one. A callback before
   * `waitFor` is kept (PLG11).
   * @throws ToolError `tool_error` for a key that is in use, or an invalid option
   */
  callback(key: string, options?: CallbackOptions): Promise<string>;
  /**
   * Waits for what is posted to the callback of this key. Like a wait for people it does not count towards the tool's timeout,
   * and it survives a restart.
   * @param schema - parses what is posted; without it the JSON is returned as it came
   * @throws ToolError `timeout` if nothing came in time; `withdrawn` if `signal` aborts; `tool_error` if what came does not fit
   * `schema`
   */
  waitFor<S extends Parameters | undefined = undefined>(
    key: string,
    schema?: S,
    options?: WaitOptions,
  ): Promise<S extends Parameters ? ValuesOf<S> : Json>;
  /**
   * Runs another call inside this one and waits for its result. Meant for the calls of sub-agents, whose names appear in the
   * prompts (AGT7). The call ends with the server, because its caller does not survive a restart.
   * @throws ToolError `call_closed` if this call has ended
   */
  callTool(call: InnerCall): Promise<CallResult>;
  /** Switches the session from plan mode to mode `default`, on a person's behalf. Does nothing in other modes. */
  leavePlanMode(by: Actor): Promise<void>;
  /** Streams output of the tool to the tabs. It is not stored (EVT4). */
  progress(text: string): void;
  /** Makes an error to throw; the model reads its code and message. */
  error(code: string, message: string): Error;
}

/** When the policy gate asks before the handler runs (APR3). */
export type ApprovalRule<A = Record<string, unknown>> = 'never' | 'always' | ((args: A) => Awaitable<boolean>);

/** A tool (PLG2). */
export interface Tool<P extends Parameters = Parameters> {
  readonly name: string;
  readonly description: string;
  readonly parameters: P;
  readonly approval?: ApprovalRule<ValuesOf<P>>;
  /**
   * Describes a call for the policy gate's prompt, which otherwise shows the bare arguments. If a `ctx.approve` of the same call
   * shows the same, the gate's approval answers it (APR3).
   */
  describe?(args: ValuesOf<P>): Awaitable<CallDescription>;
  /** Returns wider consents that the gate offers in addition to the exact arguments; the plugin's `covers` judges them (APR7). */
  rules?(args: ValuesOf<P>): Awaitable<readonly OfferedRule[]>;
  /** Set if it changes nothing: it may then run again, and runs in plan mode. */
  readonly readOnly?: boolean;
  /** Set if it changes only files: mode `acceptEdits` then lets it run without asking (APR3). */
  readonly edits?: boolean;
  /**
   * Set if it only asks people: a program's token may then call it from outside (ASK2), and of policies and modes only a policy's
   * `deny` applies (ASK3).
   */
  readonly asking?: boolean;
  /**
   * Set if its call ends with the request that waits for it, and its result cannot be fetched later: for a program that acts on
   * the result at once (ASK4).
   */
  readonly endsWithRequest?: boolean;
  /** If false, a restart closes its prompts instead of re-entering the call (DUR6). */
  readonly durable?: boolean;
  /**
   * Set if it does nothing while it waits, and its code around prompts can safely run again at any time: its calls sleep in quiet
   * sessions and after a restart, until an answer, a deadline or a cancel needs them. Calls of other tools stay in memory, and
   * are re-entered soon after each restart (DUR10).
   */
  readonly hibernates?: boolean;
  readonly onInterrupted?: 'ask' | 'retry' | 'fail';
  /** The outside program that the tool belongs to, if the plugin only forwards calls: prompts name it (AGT4). */
  readonly source?: { readonly kind: 'mcp'; readonly name: string };
  /**
   * Version of the definition, if that can change after people have approved it: a grant of an exact call covers only this
   * version (APR3).
   */
  readonly revision?: string;
  /**
   * Set if the definition differs from the one that people approved: no policy, mode or `approval` then lets it run without
   * asking (APR3).
   */
  readonly isChanged?: boolean;
  /** Limit in milliseconds, not counting waits for people. 10 minutes by default. */
  readonly timeoutMs?: number;
  handler(args: ValuesOf<P>, ctx: ToolContext): Awaitable<unknown>;
}

/** Types a tool's arguments from its parameters and returns it unchanged. */
export function defineTool<P extends Parameters>(tool: Tool<P>): Tool<P> {
  return tool;
}
