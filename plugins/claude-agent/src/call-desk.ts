import type { ToolContext } from '@parleyhq/core';
import type { Conversation } from './conversation.ts';
import type { Outcome } from './pending-call.ts';

/** What the SDK's tools share: their sessions, and how long people may take. */
export class CallDesk {
  /** The SDK has times of its own; a call that waits for its turn must not be cut off by ours. */
  readonly timeoutMs = 7 * 24 * 3_600_000;
  readonly #find: (sessionId: string) => Conversation;
  readonly #promptTimeoutMs: () => number | null;

  constructor(find: (sessionId: string) => Conversation, promptTimeoutMs: () => number | null) {
    this.#find = find;
    this.#promptTimeoutMs = promptTimeoutMs;
  }

  /** How long a question stays open; null for ever. */
  get promptTimeoutMs(): number | null {
    return this.#promptTimeoutMs();
  }

  /** Lets the SDK look at the call. */
  async begin({ sessionId, toolCallId, signal }: ToolContext) {
    return this.#find(sessionId).begin(toolCallId, signal);
  }

  /** What the sub-agent of this call calls, until it ends. */
  innerCalls({ sessionId, toolCallId }: ToolContext) {
    return this.#find(sessionId).innerCalls(toolCallId);
  }

  /** What became of one of them. */
  settle({ sessionId }: ToolContext, toolCallId: string, isOwn: boolean, outcome: Outcome): void {
    this.#find(sessionId).settle(toolCallId, isOwn, outcome);
  }

  /** Lets the SDK run the call with these arguments. @throws ToolError `tool_error` with what the model reads of a failure */
  async run(ctx: ToolContext, input: unknown): Promise<string> {
    const { sessionId, toolCallId, signal } = ctx;
    return unwrap(ctx, await this.#find(sessionId).run(toolCallId, input, signal));
  }
}

export function unwrap(ctx: ToolContext, { text, isError }: Outcome): string {
  if (isError) throw ctx.error('tool_error', text);
  return text;
}
