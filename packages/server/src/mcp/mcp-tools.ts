import {
  type Caller,
  isRecord,
  type Json,
  outsideAgent,
  RefusalError,
  type Tool,
  type ToolOffer,
} from '@parleyhq/core';
import * as z from 'zod';
import type { Durations } from '../node/durations.ts';
import { longestTimerMs } from '../node/longest-timer.ts';
import { newId } from '../node/new-id.ts';
import type { CallOutcome } from '../outside/call-results.ts';
import type { CallWaits } from '../outside/call-waits.ts';
import type { LiveCalls } from '../outside/live-calls.ts';
import { type CallingClient, noLongerWaiting, type OutsideCalls } from '../outside/outside-calls.ts';
import { toRefusal } from '../session/storage-refusal.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import { readCallId } from './call-id.ts';

export interface McpToolsOptions {
  readonly registry: ToolRegistry;
  readonly outside: OutsideCalls;
  readonly waits: CallWaits;
  readonly live: LiveCalls;
  readonly durations: Pick<Durations, 'mcpWaitMs' | 'mcpProgressMs'>;
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal;
}

/** A call, as a client makes it. */
export interface McpCall {
  readonly toolName: string;
  readonly args: Json;
  /** The client's notes on its request, of which some are known. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** What the client calls itself. */
  readonly clientName: string | undefined;
}

/** The request that waits for a call. */
export interface McpRequest {
  /** Aborts when it is gone. */
  readonly lost: AbortSignal;
  /** Aborts with the client's reason when it cancels the request. */
  readonly cancelled: AbortSignal;
  /** Tells the client that it still waits, if it wants to know. */
  readonly onProgress: (() => void) | undefined;
}

/** What a tool says. */
export interface McpAnswer {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: true;
}

const checkArgs = z.strictObject({
  callId: z.string().describe('As an earlier call returned it.'),
  waitSeconds: z.number().nonnegative().optional().describe('How long to wait. By default as long as is allowed.'),
});

const checkAnswer: ToolOffer = {
  name: 'check_answer',
  description: 'Wait on for the answer to a call that returned {"open": true, "callId": …}, and get it.',
  parameters: z.toJSONSchema(checkArgs, { io: 'input' }),
};

/** The tools that only ask people, for clients of MCP (ASK6). */
export class McpTools {
  readonly #options: McpToolsOptions;

  constructor(options: McpToolsOptions) {
    this.#options = options;
  }

  get offers(): readonly ToolOffer[] {
    return [...this.#options.registry.offers.filter(({ name }) => this.#find(name)), checkAnswer];
  }

  /** Never throws: whatever goes wrong is said in words for whoever called. */
  async call(client: CallingClient, call: McpCall, request: McpRequest): Promise<McpAnswer> {
    const { waits, durations } = this.#options;
    const telling = request.onProgress && setInterval(request.onProgress, durations.mcpProgressMs);
    try {
      return await waits.hold(client, async (ended) => {
        const gone = AbortSignal.any([ended, request.lost, this.#options.stopping]);
        if (call.toolName === checkAnswer.name) return this.#check(client, call.args, gone);
        return this.#ask(client, call, { ...request, lost: gone });
      });
    } catch (error) {
      return sayError(toRefusal(error));
    } finally {
      clearInterval(telling);
    }
  }

  async #ask(client: CallingClient, call: McpCall, { lost, cancelled }: McpRequest): Promise<McpAnswer> {
    const { outside, waits, live, durations } = this.#options;
    const { toolName, args, meta, clientName = 'MCP client' } = call;
    const tool = this.#find(toolName);
    if (!tool) throw new RefusalError('not_found', { message: `There is no tool "${toolName}".` });
    const own = tool.endsWithRequest ? undefined : readCallId(meta);
    const callId = own ?? newId();
    const from: Caller = { name: clientName };
    const begun = await outside.call(client, { channel: channelOf(clientName), callId, toolName, args, from });
    const ending = [lost, cancelled];
    if (!tool.endsWithRequest) ending.push(AbortSignal.timeout(Math.min(durations.mcpWaitMs, longestTimerMs)));
    const outcome = await waits.outcomeOf(begun, AbortSignal.any(ending));
    if (outcome) return say(outcome, tool);
    const isTakenBack = cancelled.aborted && !timeoutPattern.test(String(cancelled.reason));
    if (!tool.endsWithRequest && !isTakenBack) return sayOpen(callId);
    return say(await live.end(client, begun, isTakenBack ? 'The caller cancelled it.' : noLongerWaiting), tool);
  }

  async #check(client: CallingClient, args: Json, gone: AbortSignal): Promise<McpAnswer> {
    const { outside, waits, durations } = this.#options;
    const parsed = checkArgs.safeParse(args);
    if (!parsed.success) throw new RefusalError('invalid', { message: z.prettifyError(parsed.error) });
    const { callId, waitSeconds = Number.POSITIVE_INFINITY } = parsed.data;
    const call = await outside.findByKey(client.principal, callId);
    const limit = AbortSignal.timeout(Math.min(waitSeconds * 1000, durations.mcpWaitMs, longestTimerMs));
    const outcome = await waits.outcomeOf(call, AbortSignal.any([gone, limit]));
    return outcome ? say(outcome) : sayOpen(callId);
  }

  #find(name: string): Tool | undefined {
    const tool = this.#options.registry.get(name, outsideAgent)?.tool;
    return tool?.asking ? tool : undefined;
  }
}

/** In the reason of a client whose patience ended: it comes back for the answer. */
const timeoutPattern = /time[ds]?[\s-]?out/i;

/** One for each program, whatever its session. */
function channelOf(clientName: string): string {
  return `mcp:${clientName.replace(/[^A-Za-z0-9._:-]+/g, '-').slice(0, 60)}`;
}

function say(
  { result = null, error, delivered }: CallOutcome,
  { endsWithRequest }: Pick<Tool, 'endsWithRequest'> = {},
): McpAnswer {
  if (error) return sayError(error);
  const value = isRecord(result) && delivered === false ? { ...result, delivered } : result;
  const isStructured = isRecord(value) && !endsWithRequest; // Claude Code takes a permission as text alone
  return { ...toText(JSON.stringify(value)), ...(isStructured && { structuredContent: value }) };
}

function sayOpen(callId: string): McpAnswer {
  const message = 'Nobody has answered yet. Call check_answer with this callId to wait on.';
  return say({ result: { open: true, callId, message } });
}

function sayError({ code, message }: { readonly code: string; readonly message: string }): McpAnswer {
  return { ...toText(`${message} (${code})`), isError: true };
}

function toText(text: string): Pick<McpAnswer, 'content'> {
  return { content: [{ type: 'text', text }] };
}
