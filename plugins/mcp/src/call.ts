import { isRecord, type Json, type ToolContext, ToolError } from '@parleyhq/core';
import { maxMessageBytes, OversizeError } from './bounded-response.ts';
import {
  type CallToolResult,
  type Carry,
  type Connection,
  type ElicitResult,
  type InputRequiredResult,
  isCutOff,
  isInputRequiredResult,
  isUnheard,
  isUnreadable,
  type Progress,
  readUrlDemands,
  refusalOf,
} from './connection.ts';
import type { Definition } from './definition.ts';
import { decline, elicit } from './elicitation.ts';
import type { Desk, Lane } from './lane.ts';
import type { RunSignedIn } from './sign-in/ask-to-sign-in.ts';
import { UnreachableError } from './sign-in/guarded-fetch.ts';
import { SignInNeededError } from './sign-in/sign-in.ts';
import { readResult } from './tool-result.ts';

const tooMuch = `says more than ${maxMessageBytes / 1_000_000} MB at once: the rest is not read.`;

/** One call of a tool of a server. */
export interface Call {
  readonly server: string;
  readonly definition: Definition;
  readonly args: Record<string, unknown>;
  readonly ctx: ToolContext;
  /** The connection that it runs in. */
  readonly lane: Lane;
  /** Connects anew, where the server knows nothing of that connection any more. @throws ToolError where the tool is another by then */
  renew(): Promise<void>;
  /** For each of its steps: a server may take tokens no longer at any time. */
  readonly runSignedIn: RunSignedIn;
}

/** How often a server may ask within one call. */
const maxRounds = 20;
/** And how much at a time: more would bury the people whom it asks. */
const maxAtOnce = 10;

/** What a step of a call keeps: its end, or what the server wants to know first. */
type Round =
  | { readonly result: Json }
  | { readonly wanted: Pick<InputRequiredResult, 'inputRequests' | 'requestState'> };

/**
 * In the era of 2026 a server answers with what it wants to know and a state of its own; both are stored as the step of this round.
 * So a call that was waiting goes on after a restart where it was, and sends nothing twice (AGT4, DUR3).
 */
export async function callInRounds(call: Call): Promise<Json> {
  const { ctx, server, lane, runSignedIn } = call;
  const desk = deskOf(call);
  let carry: Carry = {};
  for (let round = 1; round <= maxRounds; round += 1) {
    const sent = carry;
    const take = async (): Promise<Round> => {
      const answer = await lane.share(desk, () => send(call, sent, desk.signal));
      if (!isInputRequiredResult(answer)) return { result: readResult(answer as CallToolResult, server) };
      const { inputRequests = {}, requestState } = answer;
      return { wanted: { inputRequests, ...(requestState !== undefined && { requestState }) } };
    };
    const outcome = await runSignedIn(() => ctx.step(`round ${round}`, take));
    if ('result' in outcome) return outcome.result;
    const { inputRequests = {}, requestState } = outcome.wanted;
    const requests = Object.entries(inputRequests);
    if (requests.length > maxAtOnce)
      throw new ToolError(
        'mcp_error',
        `The MCP server "${server}" asks ${requests.length} questions at once: more than ${maxAtOnce}.`,
      );
    const asked = requests.map(async ([id, request]) => {
      const { method, params } = readRequest(request);
      if (method !== 'elicitation/create')
        throw new ToolError(
          'mcp_unsupported',
          `The MCP server "${server}" asks for what it cannot have: ${refusalOf(method)}`,
        );
      return [id, await elicit(ctx, { server, key: `round ${round}: ${id}`, params })] as const;
    });
    const inputResponses: Record<string, ElicitResult> = Object.fromEntries(await Promise.all(asked));
    carry = { inputResponses, ...(requestState !== undefined && { requestState }) };
  }
  throw new ToolError('mcp_error', `The MCP server "${server}" asked ${maxRounds} times without an end.`);
}

function readRequest(request: unknown): { readonly method: string | undefined; readonly params?: unknown } {
  const { method, params } = isRecord(request) ? request : {};
  return { method: typeof method === 'string' ? method : undefined, params };
}

/**
 * In the era of 2025 a server asks while the call runs. A restart cuts such a call off: whether it runs again is decided as for any
 * tool that was running (DUR4).
 */
export async function callInLane(call: Call): Promise<Json> {
  const { ctx, server, lane, runSignedIn } = call;
  const desk = deskOf(call);
  const sendOnce = async () => readResult((await send(call, {}, desk.signal)) as CallToolResult, server);
  const work = () =>
    ctx.step('call', async () => {
      try {
        return await sendOnce();
      } catch (error) {
        const demands = readUrlDemands(error instanceof ToolError ? error.cause : error);
        if (demands.length === 0) throw error;
        for (const params of demands) {
          const { action } = await desk.elicit(params);
          if (action !== 'accept')
            throw new ToolError(
              'mcp_error',
              `A person did not open the address that the MCP server "${server}" needs.`,
            );
          await lane.untilUrlDone(params.elicitationId, desk.signal);
        }
        return runSignedIn(sendOnce); // people have answered: it is not asked again
      }
    });
  return runSignedIn(() => lane.run(desk, work));
}

function deskOf({ ctx, server, definition, runSignedIn }: Call): Desk {
  const stuck = new AbortController();
  let [asked, open] = [0, 0];
  return {
    sessionId: ctx.sessionId,
    signal: AbortSignal.any([ctx.signal, stuck.signal]),
    async deliver(sendAnswer) {
      try {
        await runSignedIn(sendAnswer);
      } catch (error) {
        stuck.abort(error instanceof ToolError ? error : toLost(server, definition, error)); // it waits for the answer
        throw error;
      }
    },
    async elicit(params, signal) {
      if (open >= maxAtOnce) return decline(ctx, server, `more than ${maxAtOnce} are open`);
      asked += 1;
      open += 1;
      const question = { server, key: `question ${asked}`, params, signal };
      return elicit(ctx, question).finally(() => {
        open -= 1;
      });
    },
    onLog(level, text) {
      if (level !== 'debug') ctx.progress(`[${level}] ${text}\n`);
    },
  };
}

/** @throws ToolError `mcp_error`, `mcp_closed` or `mcp_unavailable` */
async function send(call: Call, carry: Carry, signal: AbortSignal): Promise<CallToolResult | InputRequiredResult> {
  const { definition, args, ctx, lane } = call;
  const options = { ...carry, signal, onProgress: (progress: Progress) => ctx.progress(tell(progress)) };
  const once = async (connection: Connection) => connection.call(definition, args, options);
  try {
    return await once(await lane.connect());
  } catch (error) {
    if (!isUnheard(error)) throw toToolError(call, error, signal);
  }
  await call.renew(); // nothing has begun: a server that was started anew knows no connection of before
  try {
    return await once(await lane.connect());
  } catch (error) {
    throw toToolError(call, error, signal);
  }
}

function tell({ progress, total, message }: Progress): string {
  const far = total === undefined ? String(progress) : `${progress} of ${total}`;
  return `${message === undefined ? far : `${message} (${far})`}\n`;
}

function toToolError({ server, definition }: Call, error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof SignInNeededError) return error;
  if (error instanceof OversizeError)
    return new ToolError('mcp_error', `The MCP server "${server}" ${tooMuch}`, { cause: error });
  if (error instanceof UnreachableError)
    return new ToolError('mcp_unavailable', `Nobody is let in to the MCP server "${server}" now: ${error.message}.`, {
      cause: error,
    });
  if (isUnheard(error))
    return new ToolError('mcp_unavailable', `The MCP server "${server}" cannot be reached.`, { cause: error });
  if (isCutOff(error)) return toLost(server, definition, error);
  if (isUnreadable(error)) {
    const words = `The MCP server "${server}" was called, and nobody can read its answer: ${error.message}. Whether "${definition.name}" took effect is not known.`;
    return new ToolError('mcp_error', words, { cause: error });
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new ToolError('mcp_error', `The MCP server "${server}" says: ${reason}`, { cause: error });
}

function toLost(server: string, { name }: Definition, cause: unknown): ToolError {
  const words = `The MCP server "${server}" went away while "${name}" ran: whether it took effect is not known.`;
  return new ToolError('mcp_closed', words, { cause });
}
