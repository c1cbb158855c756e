import { type InteractionDemand, isRecord, type ToolContext, toToolError } from '@parleyhq/core';
import type { ElicitRequestParams, ElicitResult } from './connection.ts';
import { type ElicitationForm, makeForm } from './elicitation-form.ts';

type Asking = Pick<ToolContext, 'requestInteraction' | 'log' | 'progress'>;

/**
 * Puts a server's question to the people of the call. A person's cancel or denial is a `decline`; a prompt that closed otherwise,
 * and one that nobody answered in time, is a `cancel` (AGT4). What cannot be shown is declined, and said in the call's output.
 * @param key - names the question within the call
 * @throws ToolError as `requestInteraction` does
 */
export async function elicit(
  ctx: Asking,
  { server, key, params }: { readonly server: string; readonly key: string; readonly params: ElicitRequestParams },
): Promise<ElicitResult> {
  const title = `The MCP server “${server}” asks`;
  if (params.mode === 'url') {
    const { url, message } = params;
    return toResult(await ask(ctx, { type: 'url', key, title, prompt: message, url }));
  }
  let form: ElicitationForm;
  try {
    form = makeForm(params.requestedSchema);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return decline(ctx, server, error.message);
  }
  const input = form.form;
  const note = 'What you fill in goes to this server.';
  const prompt = params.message ? `${params.message}\n\n${note}` : note;
  return toResult(await ask(ctx, { type: 'input', key, title, prompt, inputSchema: input }), form);
}

function decline(ctx: Asking, server: string, reason: string): ElicitResult {
  const words = `A question of the MCP server "${server}" was declined: ${reason}.`;
  ctx.log.warn(words);
  ctx.progress(`${words}\n`);
  return { action: 'decline' };
}

/** With nobody there to ask, the server learns that nobody answered: what that means is for it to say. */
async function ask(ctx: Asking, demand: InteractionDemand): Promise<unknown> {
  try {
    return await ctx.requestInteraction(demand);
  } catch (error) {
    if (toToolError(error).code !== 'interaction_unavailable') throw error;
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
