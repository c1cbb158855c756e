import type { Awaitable } from '../basics/awaitable.ts';
import type { ResponseId, Seq, SessionId, TurnId } from '../basics/id.ts';
import type { Json, JsonSchema } from '../basics/json.ts';
import type { FileReference } from '../form/file.ts';
import type { ChatEvent, CodedError } from '../log/event.ts';
import type { InteractionComment } from './demand.ts';
import type { Tool } from './tool.ts';

/** A tool as an agent sees it. */
export interface ToolOffer {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

/** Input for writing one assistant message. */
export interface TurnInput {
  readonly sessionId: SessionId;
  readonly turnId: TurnId;
  readonly responseId: ResponseId;
  readonly model: string | undefined;
  /**
   * The session's current mode (APR3); `default` instead of one that asks less, if what the agent's own tools ask demands a passkey
   * (SIGN2).
   */
  readonly permissionMode: string;
  readonly tools: readonly ToolOffer[];
  /** Returns the log after `afterSeq`; all of it by default. */
  read(afterSeq?: Seq): Promise<readonly ChatEvent[]>;
  /** Returns the value that a `record` part stored with a message of this session. */
  record(responseId: ResponseId): Promise<Json | undefined>;
  /** Reads a file that a person attached to an answer or a message; undefined if its bytes are no longer stored (REV6). */
  openFile(file: FileReference): Promise<ReadableStream<Uint8Array> | undefined>;
  /** The seq of this turn's `turn_start`; everything before it is history. */
  readonly startSeq: Seq;
}

/**
 * A part of the message. `text`, `thinking` and `tool_input` are streamed as they arrive and belong to the open block; a
 * different kind, or `block_end`, starts the next block. A message without a `tool_call` ends the turn. If the agent throws,
 * the turn ends with an error that has the thrown object's `code`; text written so far is kept and marked as interrupted.
 */
export type AgentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'tool_input'; readonly toolCallId: string; readonly text: string }
  | { readonly type: 'block_end' }
  | { readonly type: 'tool_call'; readonly toolCallId?: string; readonly toolName: string; readonly args: Json }
  /** A value that is private to the agent, stored in the transaction of the message's events. A later one replaces it. */
  | { readonly type: 'record'; readonly value: Json }
  /** Restarts the message: what was written of it is discarded, and the transcript shows the error (DUR7). */
  | { readonly type: 'restart'; readonly error: CodedError }
  /** Cost of the turn so far. */
  | { readonly type: 'usage'; readonly usage: Json };

/** An example message for an agent, and what it demonstrates. */
export interface AgentExample {
  readonly text: string;
  readonly about: string;
}

/**
 * Writes one assistant message from the log, then returns. The turn runner loops, so a resumed turn takes the same path (AGT2).
 */
export interface Agent {
  readonly name: string;
  readonly description?: string;
  /**
   * Tools of this agent only: other agents can neither see nor call them, and they take precedence over a plugin's tools of the
   * same name. Parley asks for, stores and resumes their calls like any other, including calls an agent relays for
   * another program. Only agents from plugins may have them.
   */
  // biome-ignore lint/suspicious/noExplicitAny: tools of one agent differ in their arguments
  readonly tools?: readonly Tool<any>[];
  /** Returns example first messages, given the tools of the server's plugins. Called once, at start. */
  examples?(tools: readonly ToolOffer[]): readonly AgentExample[];
  run(turn: TurnInput, signal: AbortSignal): AsyncIterable<AgentPart>;
  /**
   * Replies to what a person says under an open prompt of a call that this agent made, if the tool has no `onComment`. The reply
   * is shown under the prompt and does not become part of the conversation (REV4).
   * @returns undefined to say nothing
   */
  reply?(turn: TurnInput, comment: InteractionComment, signal: AbortSignal): Awaitable<string | undefined>;
  /** Deletes the agent's own data of a deleted session, whichever agent the session had (OPS5). */
  forget?(sessionId: SessionId): Awaitable<void>;
}
