import type { ChatEvent } from './event.ts';
import type { ResponseId, Seq, SessionId, TurnId } from './id.ts';
import type { Json } from './json.ts';
import type { JsonSchema } from './plugin.ts';

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
  readonly tools: readonly ToolOffer[];
  /** The log from after `afterSeq`, by default all of it. */
  read(afterSeq?: Seq): Promise<readonly ChatEvent[]>;
  /** Where this turn's `turn_start` stands: all before it is history. */
  readonly startSeq: Seq;
}

/**
 * A piece of the message. `text`, `thinking` and `tool_input` are streamed as they come and belong to the block that is open;
 * another kind, or `block_end`, begins the next block. A message without a `tool_call` ends the turn.
 */
export type AgentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'tool_input'; readonly toolCallId: string; readonly text: string }
  | { readonly type: 'block_end' }
  | { readonly type: 'tool_call'; readonly toolCallId?: string; readonly toolName: string; readonly args: Json }
  | { readonly type: 'usage'; readonly usage: Json };
