import {
  type ElicitationPrompt,
  type InteractionDemand,
  isRecord,
  readElicitation,
  type ToolContext,
  ToolError,
  toToolError,
} from '@parleyhq/core';
import type { ElicitResult } from './connection.ts';

export interface Elicitation {
  readonly server: string;
  /** Key of the question within the call. */
  readonly key: string;
  /** The parameters as the server sent them. */
  readonly params: unknown;
  /** Aborts once the server no longer waits for the answer. */
  readonly signal?: AbortSignal | undefined;
}

type Asking = Pick<ToolContext, 'requestInteraction' | 'log' | 'progress'>;

/**
 * Asks the people of the call a server's question. A person's cancel or denial is a `decline`; a prompt that closed otherwise or
 * that nobody answered in time is a `cancel` (AGT4). A question that cannot be shown is declined, and the call's output says why.
 * @throws ToolError as `requestInteraction` does
 */
export async function elicit(ctx: Asking, { server, key, params, signal }: Elicitation): Promise<ElicitResult> {
  let question: ElicitationPrompt;
  try {
    question = readElicitation(params);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return decline(ctx, server, error.message);
  }
  const { shown, read } = question;
  const note = shown.type === 'input' ? 'What you fill in goes to this server.' : '';
  const prompt = [messageOf(params), note].filter((part) => part !== '').join('\n\n');
  const ended = signal && endOf(signal, server);
  const title = `The MCP server “${server}” asks`;
  return { ...read(await ask(ctx, { ...shown, key, title, prompt, signal: ended })) };
}

/** Declines a question without asking anybody, and shows people why. */
export function decline(ctx: Asking, server: string, reason: string): ElicitResult {
  const words = `A question of the MCP server "${server}" was declined: ${reason}.`;
  ctx.log.warn(words);
  ctx.progress(`${words}\n`);
  return { action: 'decline' };
}

/** Returns a signal that aborts with the server's, with a reason for people. */
function endOf(signal: AbortSignal, server: string): AbortSignal {
  const ended = new AbortController();
  const end = () =>
    ended.abort(new ToolError('withdrawn', `The MCP server "${server}" no longer waits for the answer.`));
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  return ended.signal;
}

/** Asks; undefined if nobody is available or the server withdrew the question. The former reaches the server as a `cancel`. */
async function ask(ctx: Asking, demand: InteractionDemand): Promise<unknown> {
  try {
    return await ctx.requestInteraction(demand);
  } catch (error) {
    const { code } = toToolError(error);
    if (code !== 'interaction_unavailable' && code !== 'withdrawn') throw error;
    return undefined;
  }
}

function messageOf(params: unknown): string {
  return isRecord(params) && typeof params.message === 'string' ? params.message : '';
}
