import {
  type Caller,
  type Json,
  type OutsideCall,
  outsideAgent,
  RefusalError,
  storable,
  type Tool,
  type ToolOffer,
} from '@parleyhq/core';
import { abortAfter, type Durations, hashOf, newId, type ToolRegistry, toRefusal } from '@parleyhq/runtime';
import * as z from 'zod';
import type { CallOutcome } from '../../extensions/programs/call-outcome.ts';
import type { CallingClient, ProgramCall } from '../../extensions/programs/call-request.ts';
import { type Programs, runForCaller } from '../../extensions/programs/run-for-caller.ts';
import { offerCallId, readCallId } from './call-id.ts';
import { type McpAnswer, say, sayError, sayOpen } from './mcp-answer.ts';
import { attachFiles } from './mcp-attachments.ts';

export interface McpToolsOptions {
  readonly registry: ToolRegistry;
  readonly programs: Programs;
  readonly durations: Pick<Durations, 'mcpWaitMs' | 'mcpProgressMs'>;
}

/** A call, as a client makes it. */
export interface McpCall {
  readonly toolName: string;
  readonly args: Json;
  /** Metadata of the request (`_meta`), some members of which Parley understands. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** Name that the client gives itself. */
  readonly clientName: string;
}

/** A request that waits for a call. */
export interface McpRequest {
  /** Aborts when the request's connection closes. */
  readonly lost: AbortSignal;
  /** Aborts with the client's reason when it cancels the request. */
  readonly cancelled: AbortSignal;
  /** Reports to the client that the call still waits; undefined if it does not want to know. */
  readonly onProgress: (() => void) | undefined;
}

/** A tool, as clients see it. */
export interface McpOffer extends ToolOffer {
  /** Whether its calls outlast the request, so that a client may disconnect and fetch the answer later. */
  readonly isLasting: boolean;
}

/** A call that has begun. */
interface BegunCall {
  readonly call: ProgramCall;
  readonly callId: string;
  readonly tool: Tool;
}

const checkArgs = z.strictObject({
  callId: z.string().check(storable).describe('As an earlier call returned it.'),
  waitSeconds: z.number().nonnegative().optional().describe('How long to wait. By default as long as is allowed.'),
});

const checkAnswer: McpOffer = {
  name: 'check_answer',
  description:
    'Wait on for the answer to a call that returned {"open": true, "callId": …}, and get it. It may return early, with comments of people.',
  parameters: z.toJSONSchema(checkArgs, { io: 'input' }),
  isLasting: false,
};

const replyArgs = z.strictObject({
  callId: z.string().check(storable).describe('As the call returned it.'),
  replyTo: z.string().check(storable).describe('The commentId of the comment.'),
  text: z.string().describe('Plain text, which the people who were asked read below the comment.'),
});

const replyComment: McpOffer = {
  name: 'reply_comment',
  description:
    'Reply to a comment of a person on a question that is still open. It settles nothing: call check_answer to wait on.',
  parameters: z.toJSONSchema(replyArgs, { io: 'input' }),
  isLasting: false,
};

/** The tools that only ask people, for clients of MCP (ASK6). */
export class McpTools {
  readonly #options: McpToolsOptions;

  constructor(options: McpToolsOptions) {
    this.#options = options;
  }

  get offers(): readonly McpOffer[] {
    const asking = this.#options.registry.offers.flatMap((offer) => {
      const tool = this.#find(offer.name);
      if (!tool) return [];
      if (tool.endsWithRequest) return { ...offer, isLasting: false };
      return { ...offer, parameters: offerCallId(offer.parameters), isLasting: true };
    });
    return [...asking, checkAnswer, replyComment];
  }

  /** Calls a tool. Never throws: a failure is returned as an error result with a message for the caller. */
  async call(client: CallingClient, call: McpCall, request: McpRequest): Promise<McpAnswer> {
    try {
      if (call.toolName === replyComment.name) return await this.#reply(client, call.args);
      return await this.hold(client, request, (gone) =>
        call.toolName === checkAnswer.name
          ? this.#check(client, call.args, gone)
          : this.#ask(client, call, { ...request, lost: gone }),
      );
    } catch (error) {
      return sayError(toRefusal(error));
    }
  }

  /** Runs work that a request waits for, and reports progress to its client. `gone` aborts with the request or its token. */
  async hold<T>(
    client: CallingClient,
    { lost, onProgress }: Pick<McpRequest, 'lost' | 'onProgress'>,
    work: (gone: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { programs, durations } = this.#options;
    const telling = onProgress && setInterval(onProgress, durations.mcpProgressMs);
    try {
      return await programs.requests.hold(client, lost, work);
    } finally {
      clearInterval(telling);
    }
  }

  /** Begins a call, or finds the one that it repeats. @throws RefusalError `not_found`, or the refusal of the call */
  async begin(client: CallingClient, { toolName, args, meta, clientName }: McpCall): Promise<BegunCall> {
    const { programs, registry } = this.#options;
    const tool = this.#find(toolName);
    const offer = registry.offers.find(({ name }) => name === toolName);
    if (!tool || !offer) throw new RefusalError('not_found', { message: `There is no tool "${toolName}".` });
    const named = tool.endsWithRequest ? { args, callId: undefined } : readCallId(offer, { args, meta });
    const callId = named.callId ?? newId();
    const from: Caller = { name: clientName };
    const call = await programs.calls.begin(client, {
      channel: channelOf(clientName),
      callId,
      toolName,
      args: named.args,
      from,
    });
    return { call, callId, tool };
  }

  /** Returns the result of a call, with the files that were attached to the answer. */
  say(call: OutsideCall, outcome: CallOutcome, tool?: Tool): Promise<McpAnswer> {
    return attachFiles(this.#options.programs, call, outcome, say(outcome, tool));
  }

  async #ask(client: CallingClient, asked: McpCall, { lost, cancelled }: McpRequest): Promise<McpAnswer> {
    const { programs, durations } = this.#options;
    const { call, callId, tool } = await this.begin(client, asked);
    const waitMs = call.isLive ? Number.POSITIVE_INFINITY : durations.mcpWaitMs;
    const isTakenBack = () => cancelled.aborted && !timeoutPattern.test(String(cancelled.reason));
    const findNote = () => (isTakenBack() ? takenBack : undefined);
    const outcome = await abortAfter(waitMs, [lost, cancelled], (until) =>
      runForCaller(programs, client, call, { until, findNote, hearsComments: true }),
    );
    if (outcome) return this.say(call, outcome, tool);
    return sayOpen(callId, await programs.comments.read(call, client.principal));
  }

  async #check(client: CallingClient, args: Json, gone: AbortSignal): Promise<McpAnswer> {
    const { programs, durations } = this.#options;
    const { callId, waitSeconds = Number.POSITIVE_INFINITY } = parseArgs(checkArgs, args);
    const call = await programs.calls.findByKey(client.principal, callId);
    const outcome = await abortAfter(Math.min(waitSeconds * 1000, durations.mcpWaitMs), [gone], (until) =>
      runForCaller(programs, client, call, { until, hearsComments: true }),
    );
    if (outcome) return this.say(call, outcome);
    return sayOpen(callId, await programs.comments.read(call, client.principal));
  }

  async #reply(client: CallingClient, args: Json): Promise<McpAnswer> {
    const { calls } = this.#options.programs;
    const { callId, replyTo, text } = parseArgs(replyArgs, args);
    const call = await calls.findByKey(client.principal, callId);
    const commentId = hashOf(JSON.stringify([callId, replyTo, text])); // a repeat is the same reply
    await calls.replyIn(client, call, { commentId, text, replyTo });
    return say({ result: { ok: true, message: 'They can read it. Call check_answer with this callId to wait on.' } });
  }

  #find(name: string): Tool | undefined {
    const tool = this.#options.registry.get(name, outsideAgent)?.tool;
    return tool?.asking ? tool : undefined;
  }
}

/** @throws RefusalError `invalid` */
function parseArgs<Args>(schema: z.ZodType<Args>, args: Json): Args {
  const parsed = schema.safeParse(args);
  if (!parsed.success) throw new RefusalError('invalid', { message: z.prettifyError(parsed.error) });
  return parsed.data;
}

/** Matches the cancel reason of a client that timed out: it will return for the answer. */
const timeoutPattern = /time[ds]?[\s-]?out/i;

/** The note of a call that its client cancelled. */
export const takenBack = 'The caller cancelled it.';

/** Returns the channel of a client program, which all its sessions share. */
function channelOf(clientName: string): string {
  return `mcp:${clientName.replace(/[^A-Za-z0-9._:-]+/g, '-').slice(0, 60)}`;
}
