import { type ElicitationPrompt, isAnswer, readElicitation, type ToolContext, wordsOf } from '@parleyhq/core';
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
  let question: ElicitationPrompt;
  try {
    question = readElicitation(elicitation.params);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    ctx.progress(`A question of ${agent} was declined: ${error.message}.\n`);
    elicitation.refuse();
    return undefined;
  }
  const { message } = elicitation;
  const answer = await ctx.requestInteraction({
    ...question.shown,
    key: `question-${number}`,
    title: `${agent} asks`,
    ...(message && { prompt: message }),
    timeoutMs,
    onUnavailable: 'wait',
    signal: elicitation.signal,
  });
  elicitation.answer({ ...question.read(answer) });
  return isAnswer(answer) ? wordsOf(answer) : undefined;
}
