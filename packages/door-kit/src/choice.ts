import {
  type ApprovalScope,
  approvalScopes,
  type InteractionAnswer,
  type InteractionSpec,
  isAnswer,
  type Retractable,
  type ToolContext,
} from '@parleyhq/core';

/** One of the answers that a program takes. */
export interface OfferedChoice {
  readonly id: string;
  /** What people read. */
  readonly label: string;
  /** For how long it allows what is asked about; undefined for a no. */
  readonly allows: ApprovalScope | undefined;
}

export interface ChoiceDemand
  extends Pick<InteractionSpec, 'key' | 'title' | 'subject' | 'timeoutMs' | 'onUnavailable'>,
    Retractable {
  /** Paragraphs. */
  readonly details: readonly string[];
}

/** What a person answered, and the id of what they chose, if anything. */
export interface Chosen {
  readonly answer?: InteractionAnswer;
  readonly choice?: string;
}

/**
 * Asks for consent by a choice of the answers that a program takes, because none of them is what a plain yes would mean. What lasts
 * for all sessions takes an operator (SEC4): it is offered only if nothing less allows, and then the question is for operators alone.
 * @throws ToolError `not_supported` if votes are counted (TEAM3)
 */
export async function askChoice(
  ctx: ToolContext,
  choices: readonly OfferedChoice[],
  { details, ...demand }: ChoiceDemand,
): Promise<Chosen> {
  const isForOperators = choices.every(({ allows }) => allows === undefined || allows === 'always');
  const offered = isForOperators ? choices : choices.filter(({ allows }) => allows !== 'always');
  const longest = approvalScopes.findLast((scope) => offered.some(({ allows }) => allows === scope)) ?? 'once';
  const options = offered.map(({ id: value, label }) => ({ value, label }));
  const answer = await ctx.requestInteraction({
    ...demand,
    type: 'input',
    consents: longest,
    prompt: [...details, ...countLeftOut(choices.length - offered.length)].join('\n\n'),
    inputSchema: {
      type: 'form',
      fields: [{ type: 'radio', id: 'choice', label: 'Answer', required: true, options }],
      submitLabel: 'Answer',
    },
    ...(longest === 'always' && { audience: { role: 'operator' } }),
  });
  if (!isAnswer(answer)) return {};
  const chosen = answer.action === 'submit' ? answer.input?.choice : undefined;
  return { answer, ...(typeof chosen === 'string' && { choice: chosen }) };
}

/** Says how many of a program's answers that last a card does not offer. */
export function countLeftOut(count: number): string[] {
  if (count === 0) return [];
  return [
    count === 1 ? 'One answer that lasts is not offered here.' : `${count} answers that last are not offered here.`,
  ];
}
