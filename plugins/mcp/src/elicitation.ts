import {
  type ElicitationForm,
  type InteractionDemand,
  isRecord,
  makeForm,
  type ToolContext,
  ToolError,
  toToolError,
} from '@parleyhq/core';
import * as z from 'zod';
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

const messageSchema = z
  .string()
  .nullish()
  .transform((message) => message ?? '');

/** Without a mode it is a form: the first revision of 2025 had no modes. */
const questionSchema = z.union([
  z.object({ mode: z.literal('url'), message: messageSchema, url: z.string() }),
  z.object({ mode: z.literal('form').nullish(), message: messageSchema, requestedSchema: z.unknown() }),
]);

type Asking = Pick<ToolContext, 'requestInteraction' | 'log' | 'progress'>;

/**
 * Asks the people of the call a server's question. A person's cancel or denial is a `decline`; a prompt that closed otherwise or
 * that nobody answered in time is a `cancel` (AGT4). A question that cannot be shown is declined, and the call's output says why.
 * @throws ToolError as `requestInteraction` does
 */
export async function elicit(ctx: Asking, { server, key, params, signal }: Elicitation): Promise<ElicitResult> {
  const title = `The MCP server “${server}” asks`;
  const ended = signal && endOf(signal, server);
  const { data: question } = questionSchema.safeParse(params);
  if (!question) return decline(ctx, server, 'Parley does not know this kind of question');
  const { message } = question;
  if (question.mode === 'url')
    return toResult(await ask(ctx, { type: 'url', key, title, prompt: message, url: question.url, signal: ended }));
  let form: ElicitationForm;
  try {
    form = makeForm(question.requestedSchema);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return decline(ctx, server, error.message);
  }
  const input = form.form;
  const note = 'What you fill in goes to this server.';
  const prompt = message ? `${message}\n\n${note}` : note;
  return toResult(await ask(ctx, { type: 'input', key, title, prompt, inputSchema: input, signal: ended }), form);
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

function toResult(answer: unknown, form?: ElicitationForm): ElicitResult {
  const { action, input } = isRecord(answer) ? answer : {};
  if (action === 'approve') return { action: 'accept' };
  if (action === 'submit' && form)
    return { action: 'accept', content: form.read(isRecord(input) ? (input as never) : {}) };
  return { action: action === 'cancel' || action === 'deny' ? 'decline' : 'cancel' };
}
