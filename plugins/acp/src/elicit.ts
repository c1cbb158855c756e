import {
  type ElicitationForm,
  type InteractionDemand,
  isAnswer,
  isRecord,
  makeForm,
  type ToolContext,
  wordsOf,
} from '@parleyhq/core';
import type { Asking } from './permission.ts';
import type { Elicitation } from './request.ts';

/**
 * Asks people what the agent wants to know. A person's cancel or denial is a `decline`; a question that nobody answered is a
 * `cancel`. A question that cannot be shown is declined, and the call's output says why.
 * @returns what people said with the answer, for which the protocol has no place; undefined if nothing
 */
export async function askElicitation(
  ctx: ToolContext,
  elicitation: Elicitation,
  asking: Asking,
): Promise<string | undefined> {
  try {
    return await ask(ctx, elicitation, asking);
  } catch (error) {
    elicitation.cancel();
    throw error;
  }
}

async function ask(
  ctx: ToolContext,
  elicitation: Elicitation,
  { agent, number, timeoutMs }: Asking,
): Promise<string | undefined> {
  const { mode, ...rest } = elicitation.params as { mode?: string } & Record<string, unknown>;
  const { message } = elicitation;
  const common = {
    key: `question-${number}`,
    title: `${agent} asks`,
    ...(message && { prompt: message }),
    timeoutMs,
    onUnavailable: 'wait',
    signal: elicitation.signal,
  } as const;
  if (mode === 'url') {
    return settle(elicitation, await ctx.requestInteraction({ ...common, type: 'url', url: String(rest.url) }));
  }
  let form: ElicitationForm;
  try {
    form = makeForm(requireOpen(rest.requestedSchema));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    ctx.progress(`A question of ${agent} was declined: ${error.message}.\n`);
    elicitation.refuse();
    return undefined;
  }
  const demand: InteractionDemand = { ...common, type: 'input', inputSchema: form.form };
  return settle(elicitation, await ctx.requestInteraction(demand), form);
}

function settle(elicitation: Elicitation, answer: unknown, form?: ElicitationForm): string | undefined {
  const { action, input } = isRecord(answer) ? answer : {};
  if (action === 'approve') elicitation.answer({ action: 'accept' });
  else if (action === 'submit' && form)
    elicitation.answer({ action: 'accept', content: form.read(isRecord(input) ? (input as never) : {}) });
  else if (action === 'cancel' || action === 'deny') elicitation.refuse();
  else elicitation.cancel();
  return isAnswer(answer) ? wordsOf(answer) : undefined;
}

/** @throws TypeError if people cannot be shown what the agent wants to know */
export function requireShowable({ mode, requestedSchema }: Readonly<Record<string, unknown>>): void {
  if (mode === 'url') return;
  if (mode !== undefined && mode !== 'form') throw new TypeError(`"${String(mode)}" is not a known kind`);
  makeForm(requireOpen(requestedSchema));
}

/** @throws TypeError if an agent marks a field as secret: what is typed would be stored in the log */
function requireOpen(schema: unknown): unknown {
  const fields = isRecord(schema) && isRecord(schema.properties) ? Object.entries(schema.properties) : [];
  for (const [name, field] of fields) {
    const meta = isRecord(field) && isRecord(field._meta) ? Object.values(field._meta) : [];
    if (meta.some((each) => isRecord(each) && each.isSecret === true)) throw new TypeError(`"${name}" is a secret`);
  }
  return schema;
}
