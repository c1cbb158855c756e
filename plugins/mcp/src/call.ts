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
} from './connection.ts';
import type { Definition } from './definition.ts';
import { decline, elicit } from './elicitation.ts';
import { refusalOf } from './refusal.ts';
import type { CallHandlers, SerialConnection } from './serial-connection.ts';
import type { RunSignedIn } from './sign-in/ask-to-sign-in.ts';
import { UnreachableError } from './sign-in/guarded-fetch.ts';
import { SignInNeededError } from './sign-in/sign-in.ts';
import { readResult } from './tool-result.ts';

const tooMuch = `sent more than ${maxMessageBytes / 1_000_000} MB at once: the rest is not read.`;

/** One call of a server's tool. */
export interface Call {
  readonly server: string;
  readonly definition: Definition;
  readonly args: Record<string, unknown>;
  readonly ctx: ToolContext;
  /** The connection in which it runs. */
  readonly lane: SerialConnection;
  /**
   * Reconnects if the server no longer knows the connection.
   * @throws ToolError `mcp_changed` if the tool has changed meanwhile
   */
  renew(): Promise<void>;
  /** Wraps each step of the call, because the server may stop accepting tokens at any time. */
  readonly runSignedIn: RunSignedIn;
}

/** Maximum number of rounds of questions within one call. */
const maxRounds = 20;
/** Maximum number of open questions within one call, so that a server cannot flood people with prompts. */
const maxAtOnce = 10;

/** The stored result of one round: the result of the call, or the questions that the server asks first. */
type Round =
  | { readonly result: Json }
  | { readonly wanted: Pick<InputRequiredResult, 'inputRequests' | 'requestState'> };

/**
 * Runs a call of the 2026 protocol, in which a server responds with its questions and an opaque state. Both are stored as the
 * step of the round, so a waiting call continues from there after a restart and sends nothing twice (AGT4, DUR3).
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
          `The MCP server "${server}" sent a request that is not supported: ${refusalOf(method)}`,
        );
      return [id, await elicit(ctx, { server, key: `round ${round}: ${id}`, params })] as const;
    });
    const inputResponses: Record<string, ElicitResult> = Object.fromEntries(await Promise.all(asked));
    carry = { inputResponses, ...(requestState !== undefined && { requestState }) };
  }
  throw new ToolError('mcp_error', `The MCP server "${server}" still had questions after ${maxRounds} rounds.`);
}

function readRequest(request: unknown): { readonly method: string | undefined; readonly params?: unknown } {
  const { method, params } = isRecord(request) ? request : {};
  return { method: typeof method === 'string' ? method : undefined, params };
}

/**
 * Runs a call of the 2025 protocol, in which a server asks while the call runs. A restart interrupts the call; whether it runs
 * again is decided as for any running tool (DUR4).
 */
export async function callSerially(call: Call): Promise<Json> {
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
        return runSignedIn(sendOnce); // people have answered: the server's questions are not repeated
      }
    });
  return runSignedIn(() => lane.run(desk, work));
}

function deskOf({ ctx, server, definition, runSignedIn }: Call): CallHandlers {
  const stuck = new AbortController();
  let [asked, open] = [0, 0];
  return {
    sessionId: ctx.sessionId,
    signal: AbortSignal.any([ctx.signal, stuck.signal]),
    async deliver(sendAnswer) {
      try {
        await runSignedIn(sendAnswer);
      } catch (error) {
        // the server waits for the answer, so the call cannot continue
        stuck.abort(error instanceof ToolError ? error : toLost(server, definition, error));
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
  const options = { ...carry, signal, onProgress: (progress: Progress) => ctx.progress(formatProgress(progress)) };
  const once = async (connection: Connection) => connection.call(definition, args, options);
  try {
    return await once(await lane.connect());
  } catch (error) {
    if (!isUnheard(error)) throw toToolError(call, error, signal);
  }
  await call.renew(); // a restarted server no longer knows the connection, so the call cannot have begun
  try {
    return await once(await lane.connect());
  } catch (error) {
    throw toToolError(call, error, signal);
  }
}

function formatProgress({ progress, total, message }: Progress): string {
  const far = total === undefined ? String(progress) : `${progress} of ${total}`;
  return `${message === undefined ? far : `${message} (${far})`}\n`;
}

function toToolError({ server, definition }: Call, error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof SignInNeededError) return error;
  if (error instanceof OversizeError)
    return new ToolError('mcp_error', `The MCP server "${server}" ${tooMuch}`, { cause: error });
  if (error instanceof UnreachableError)
    return new ToolError('mcp_unavailable', `Nobody can sign in to the MCP server "${server}" now: ${error.message}.`, {
      cause: error,
    });
  if (isUnheard(error))
    return new ToolError('mcp_unavailable', `The MCP server "${server}" cannot be reached.`, { cause: error });
  if (isCutOff(error)) return toLost(server, definition, error);
  if (isUnreadable(error)) {
    const words = `The MCP server "${server}" was called, but its answer cannot be read: ${error.message}. Whether "${definition.name}" took effect is not known.`;
    return new ToolError('mcp_error', words, { cause: error });
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new ToolError('mcp_error', `The MCP server "${server}" says: ${reason}`, { cause: error });
}

function toLost(server: string, { name }: Definition, cause: unknown): ToolError {
  const words = `The MCP server "${server}" went away while "${name}" ran: whether it took effect is not known.`;
  return new ToolError('mcp_closed', words, { cause });
}
