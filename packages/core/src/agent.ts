import type { ChatEvent, CodedError } from './event.ts';
import type { ResponseId, Seq, SessionId, TurnId } from './id.ts';
import type { Json, JsonSchema } from './json.ts';
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
  /** The session's, of now (APR3). */
  readonly permissionMode: string;
  readonly tools: readonly ToolOffer[];
  /** The log from after `afterSeq`, by default all of it. */
  read(afterSeq?: Seq): Promise<readonly ChatEvent[]>;
  /** What a `record` part kept with a message of this session. */
  record(responseId: ResponseId): Promise<Json | undefined>;
  /** Where this turn's `turn_start` stands: all before it is history. */
  readonly startSeq: Seq;
}

/**
 * A piece of the message. `text`, `thinking` and `tool_input` are streamed as they come and belong to the block that is open;
 * another kind, or `block_end`, begins the next block. A message without a `tool_call` ends the turn. An agent that throws
 * ends it with an error, whose `code` is the thrown object's; the text it had written is kept, marked as interrupted.
 */
export type AgentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'tool_input'; readonly toolCallId: string; readonly text: string }
  | { readonly type: 'block_end' }
  | { readonly type: 'tool_call'; readonly toolCallId?: string; readonly toolName: string; readonly args: Json }
  /** Kept with the message for the agent alone, in the transaction of its events; a later one takes its place. */
  | { readonly type: 'record'; readonly value: Json }
  /** The message begins anew: what was written of it goes, and the transcript says why (DUR7). */
  | { readonly type: 'restart'; readonly error: CodedError }
  /** What the turn has cost so far. */
  | { readonly type: 'usage'; readonly usage: Json };

/** Writes one assistant message from the log and ends; the loop is the turn runner's, so resuming is no second path (AGT2). */
export interface Agent {
  readonly name: string;
  readonly description?: string;
  /**
   * Tools of its own: only its calls reach them, nobody else is offered them, and before a plugin's of the same name they
   * are meant. They are tools like any other, so that what an agent lets another program do is asked for, stored and
   * taken up again by Parley. Only a plugin's agents may have them.
   */
  // biome-ignore lint/suspicious/noExplicitAny: tools of one agent differ in their arguments
  readonly tools?: readonly Tool<any>[];
  run(turn: TurnInput, signal: AbortSignal): AsyncIterable<AgentPart>;
}
