import type { Awaitable } from '../basics/awaitable.ts';
import type { ResponseId, Seq, SessionId, TurnId } from '../basics/id.ts';
import type { Json, JsonSchema } from '../basics/json.ts';
import type { ChatEvent, CodedError } from '../log/event.ts';
import type { Tool } from './tool.ts';

/** A tool as an agent sees it. */
export interface ToolOffer {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

/** What an agent gets to write one assistant message. */
export interface TurnInput {
  readonly sessionId: SessionId;
  readonly turnId: TurnId;
  readonly responseId: ResponseId;
  readonly model: string | undefined;
  /** The session's current mode (APR3). */
  readonly permissionMode: string;
  readonly tools: readonly ToolOffer[];
  /** The log after `afterSeq`; all of it by default. */
  read(afterSeq?: Seq): Promise<readonly ChatEvent[]>;
  /** The value that a `record` part stored with a message of this session. */
  record(responseId: ResponseId): Promise<Json | undefined>;
  /** The seq of this turn's `turn_start`; everything before it is history. */
  readonly startSeq: Seq;
}

/**
 * A piece of the message. `text`, `thinking` and `tool_input` are streamed as they come and belong to the open block; a
 * different kind, or `block_end`, starts the next block. A message without a `tool_call` ends the turn. If the agent throws,
 * the turn ends with an error that has the thrown object's `code`; text written so far is kept and marked as interrupted.
 */
export type AgentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'tool_input'; readonly toolCallId: string; readonly text: string }
  | { readonly type: 'block_end' }
  | { readonly type: 'tool_call'; readonly toolCallId?: string; readonly toolName: string; readonly args: Json }
  /** Private to the agent; stored with the message in the transaction of its events. A later one replaces it. */
  | { readonly type: 'record'; readonly value: Json }
  /** The message starts over: what was written of it is discarded, and the transcript says why (DUR7). */
  | { readonly type: 'restart'; readonly error: CodedError }
  /** The cost of the turn so far. */
  | { readonly type: 'usage'; readonly usage: Json };

/** Something to say to an agent, and what it shows. */
export interface AgentExample {
  readonly text: string;
  readonly about: string;
}

/** Writes one assistant message from the log, then returns. The turn runner loops, so a resumed turn takes the same path (AGT2). */
export interface Agent {
  readonly name: string;
  readonly description?: string;
  /**
   * The agent's own tools. Other agents neither see nor reach them, and they take precedence over a plugin's tools of the
   * same name. Parley asks for, stores and resumes their calls like any other, including calls an agent relays for
   * another program. Only agents from plugins may have them.
   */
  // biome-ignore lint/suspicious/noExplicitAny: tools of one agent differ in their arguments
  readonly tools?: readonly Tool<any>[];
  /** What a person may say first, given the tools of the server's plugins. Asked once, at the start. */
  examples?(tools: readonly ToolOffer[]): readonly AgentExample[];
  run(turn: TurnInput, signal: AbortSignal): AsyncIterable<AgentPart>;
  /** A session is deleted, whichever agent it had: what the agent keeps of it goes, too (OPS5). */
  forget?(sessionId: SessionId): Awaitable<void>;
}
