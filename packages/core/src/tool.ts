import type * as z from 'zod/mini';
import type { Approval, ApprovalDemand } from './approve.ts';
import type { AskOptions } from './ask.ts';
import type { Awaitable } from './awaitable.ts';
import type { InteractionDemand } from './demand.ts';
import type { CodedError } from './event.ts';
import type { GrantKey } from './grant.ts';
import type { Instant, SessionId, ToolCallId, TurnId } from './id.ts';
import type { Actor, ApprovalScope } from './interaction.ts';
import type { Json, JsonSchema } from './json.ts';
import type { PluginState } from './plugin-state.ts';

/** Who could answer in this session right now; the members are live (INT14). */
export interface Availability {
  readonly available: boolean;
  readonly supportedCount: number;
  readonly enabledCount: number;
}

/** Stored approvals of this plugin; `sessionId` is the call's own unless given (APR1). */
export interface Approvals {
  /** The scope that covers the key, if one does. A `once` grant is used up by this call. */
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

/** A call that is made inside another one. */
export interface InnerCall {
  /** Unique in the session; made if absent. */
  readonly toolCallId?: ToolCallId;
  readonly toolName: string;
  readonly args: Json;
  /** Who makes it, for the people who are asked. */
  readonly from: string;
}

export type CallResult = { readonly result: Json } | { readonly error: CodedError };

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
   * @returns what the hook's `complete` says, a `PendingResult`, or `{ok: false, error: 'timeout'}`
   * @throws ToolError `interaction_unavailable`, `cancelled`, `handler_error`, `handler_timeout`, `invalid_outcome`,
   *   `reprompt_limit`, `call_closed`, or `tool_error` for a request that is no valid one
   */
  requestInteraction(demand: InteractionDemand): Promise<unknown>;
  /**
   * A form from a zod object, asked again until it is valid; the key names the prompt within the call.
   * @returns the schema's output
   * @throws ToolError `cancelled` or `timeout`
   */
  ask<S extends z.core.$ZodType>(key: string, schema: S, options?: AskOptions<z.output<S>>): Promise<z.output<S>>;
  /**
   * The whole gate: looks up a grant, asks if there is none, keeps the grant of the chosen scope (APR2).
   * @throws ToolError as `requestInteraction` does, but for an answer or a timeout
   */
  approve<A = Record<string, unknown>>(demand: ApprovalDemand<A>): Promise<Approval<A>>;
  /** Whether somebody consents: false on deny, cancel and timeout. */
  confirm(key: string, text: string): Promise<boolean>;
  /**
   * Runs `fn` once and records its value: a call that is entered again gets the recorded one. What must happen once belongs
   * here; a throw is not recorded (DUR3).
   * @returns the value as JSON, the first time too
   * @throws what `fn` throws; ToolError `invalid_result` for a value that is no JSON
   */
  step<T>(key: string, fn: () => Awaitable<T>): Promise<T>;
  /** Milliseconds since 1970; the same again when the call is entered again. */
  now(): Instant;
  /** A random UUID; the same again when the call is entered again. */
  uuid(): string;
  /**
   * Runs another call inside this one and waits for its result: for what a sub-agent calls, whose name its prompts say (AGT7).
   * It ends with the server: whoever made it is gone after a restart.
   * @throws ToolError `call_closed` where this call is over
   */
  callTool(call: InnerCall): Promise<CallResult>;
  /** A person let the session out of plan mode: it goes on in mode `default`. Elsewhere nothing happens. */
  leavePlanMode(by: Actor): Promise<void>;
  /** Streams output of the tool to the tabs; nothing of it is stored (EVT4). */
  progress(text: string): void;
  /** An error to throw: the model reads code and message. */
  error(code: string, message: string): Error;
}

/** Arguments are a zod schema (or any Standard Schema) or JSON Schema; a handler's `args` are typed from zod. */
export type Parameters = z.core.$ZodType | JsonSchema;

type Args<P> = P extends z.core.$ZodType ? z.output<P> : Record<string, unknown>;

/** When Parley itself asks before the handler runs (APR3). */
export type ApprovalRule<A = Record<string, unknown>> = 'never' | 'always' | ((args: A) => Awaitable<boolean>);

/** A tool (PLG2). */
export interface Tool<P extends Parameters = Parameters> {
  readonly name: string;
  readonly description: string;
  readonly parameters: P;
  readonly approval?: ApprovalRule<Args<P>>;
  /** Changes nothing: may run again, and runs in plan mode. */
  readonly readOnly?: boolean;
  /** Changes files and nothing else: mode `acceptEdits` lets it run unasked (APR3). */
  readonly edits?: boolean;
  /** False: a restart closes its prompts instead of re-entering the call (DUR6). */
  readonly durable?: boolean;
  readonly onInterrupted?: 'ask' | 'retry' | 'fail';
  /** Milliseconds of its own time; waiting for people does not count. 10 minutes by default. */
  readonly timeoutMs?: number;
  handler(args: Args<P>, ctx: ToolContext): Awaitable<unknown>;
}

/** Types a tool's arguments from its parameters; returns it as it is. */
export function defineTool<P extends Parameters>(tool: Tool<P>): Tool<P> {
  return tool;
}
