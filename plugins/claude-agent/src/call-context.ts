import type { CallResult, ToolContext } from '@parleyhq/core';
import { textOfResult } from './briefing.ts';
import type { Conversation } from './conversation.ts';
import type { CallOutput } from './pending-call.ts';

/** What the SDK's tools share: access to the conversations, and time limits. */
export class CallContext {
  /** Time limit of a tool, in ms. It is long because the SDK has its own limits, and calls may wait for earlier ones. */
  readonly timeoutMs = 7 * 24 * 3_600_000;
  readonly #find: (sessionId: string) => Conversation;
  readonly #promptTimeoutMs: () => number | null;

  constructor(find: (sessionId: string) => Conversation, promptTimeoutMs: () => number | null) {
    this.#find = find;
    this.#promptTimeoutMs = promptTimeoutMs;
  }

  /** How long a question stays open, in ms; null for ever. */
  get promptTimeoutMs(): number | null {
    return this.#promptTimeoutMs();
  }

  /** Returns the folder in which the session's agent works. */
  workingFolder({ sessionId }: ToolContext): Promise<string> {
    return this.#find(sessionId).workingFolder();
  }

  /** Lets the SDK check its own rules for the call. */
  async begin({ sessionId, toolCallId, signal }: ToolContext) {
    return this.#find(sessionId).begin(toolCallId, signal);
  }

  /** Yields the calls of this call's sub-agent, until it ends. */
  innerCalls({ sessionId, toolCallId }: ToolContext) {
    return this.#find(sessionId).innerCalls(toolCallId);
  }

  /** Passes the result of one of its calls to a sub-agent, and what people said to it. */
  settle({ sessionId }: ToolContext, toolCallId: string, isOwn: boolean, returned: CallResult): void {
    this.#find(sessionId).settle(toolCallId, isOwn, textOfResult(returned), returned.note);
  }

  /** Lets the SDK run the call with these arguments. @throws ToolError `tool_error` with the failure as the model reads it */
  async run(ctx: ToolContext, input: unknown): Promise<string> {
    const { sessionId, toolCallId, signal } = ctx;
    return unwrap(ctx, await this.#find(sessionId).run(toolCallId, input, signal));
  }
}

/** @returns the text of a result @throws ToolError `tool_error` if the call failed */
export function unwrap(ctx: ToolContext, { text, isError }: CallOutput): string {
  if (isError) throw ctx.error('tool_error', text);
  return text;
}
