import {
  type Approval,
  type ApprovalScope,
  defineTool,
  isAnswer,
  isRecord,
  maxRules,
  type OfferedRule,
  readElicitation,
  type ToolContext,
} from '@parleyhq/core';
import { askChoice, countLeftOut } from '@parleyhq/door-kit';
import * as z from 'zod';
import { type Card, type Choice, cardSchema } from './card.ts';
import { userQuestionsSchema } from './question.ts';
import { toAnswers, toForm } from './user-input.ts';

/** The attachment waits for the answer, and a question dies with it. */
const live = { readOnly: true, asking: true, endsWithRequest: true, hibernates: false, durable: false } as const;

/** Codex's terminal asks, too, for as long as it likes. */
const patient = { timeoutMs: null, onUnavailable: 'wait' } as const;

/** The answer to an approval: the id of the choice. Without one the terminal decides. */
interface Chosen {
  readonly choice?: string;
}

export const codexApproval = defineTool({
  name: 'codex_approval',
  description: 'Ask people for an approval that Codex asks for in its terminal.',
  parameters: cardSchema,
  ...live,
  handler: (card, ctx: ToolContext): Promise<Chosen> => {
    const yes = card.choices.find(({ means }) => means === 'once');
    return yes ? approve(ctx, card, yes) : choose(ctx, card);
  },
});

async function approve(ctx: ToolContext, { title, subject, details, choices }: Card, yes: Choice): Promise<Chosen> {
  const session = choices.find(({ means, label }) => means === 'session' && label === undefined);
  const lasting = choices.filter(
    ({ means, label }) => label !== undefined && (means === 'session' || means === 'always'),
  );
  const rules = lasting.slice(0, maxRules).map(toRule);
  const approval: Approval = await ctx.approve({
    key: session ? [title, subject.text, ...details] : [title], // only a consent for the session is looked up by it
    title,
    prompt: [...details, describeNoes(choices), ...countLeftOut(lasting.length - rules.length)].join('\n\n'),
    subject,
    scopes: session ? ['once', 'session'] : ['once'],
    rules,
    ...patient,
  });
  const forSession = session && approval.approved && approval.scope === 'session' ? session : undefined;
  if (!approval.by && !forSession) return {}; // a mode, a policy or the end of the turn: only people answer Codex
  if (approval.approved) return { choice: approval.ruleId ?? (forSession ?? yes).id };
  return pick(choices, approval.code === 'cancelled' ? 'cancel' : 'decline');
}

/** Asks with a choice of the answers, because none of them is a plain yes. */
async function choose(ctx: ToolContext, { title, subject, details, choices }: Card): Promise<Chosen> {
  const offered = choices.map(({ id, means, label = plainWords[means] }) => ({ id, label, allows: scopeOf(means) }));
  const demand = { key: 'choice', title, subject, details: [...details, silence], ...patient };
  const { choice } = await askChoice(ctx, offered, demand);
  return choice === undefined ? {} : { choice };
}

function scopeOf(means: Choice['means']): ApprovalScope | undefined {
  return means === 'decline' || means === 'cancel' ? undefined : means;
}

const silence = 'Codex reads no reason or comments: they stay in this transcript.';

const plainWords: Record<Choice['means'], string> = {
  once: 'Allow it once',
  session: 'Allow it in this session',
  always: 'Allow it from now on',
  decline: 'Decline: the call does not run, and the turn goes on',
  cancel: 'Cancel: the call does not run, and the turn ends',
};

/** Says what each no does. */
function describeNoes(choices: readonly Choice[]): string {
  const cancel = choices.some(({ means }) => means === 'cancel')
    ? 'Cancelling the question, as `parley inbox` can, ends the turn.'
    : 'Cancelling the question leaves it to Codex’s terminal.';
  return `“Deny” declines the call, and Codex’s turn goes on. ${cancel} ${silence}`;
}

function pick(choices: readonly Choice[], wanted: Choice['means']): Chosen {
  const found = choices.find(({ means }) => means === wanted);
  return found ? { choice: found.id } : {};
}

function toRule({ id, means, label = '' }: Choice): OfferedRule {
  return { id, label, key: [id, label], scopes: [means === 'always' ? 'always' : 'session'], keptByCaller: true };
}

export const codexQuestions = defineTool({
  name: 'codex_questions',
  description: 'Ask people what Codex wants to know.',
  parameters: z.object({ questions: userQuestionsSchema }),
  ...live,
  async handler({ questions }, ctx: ToolContext) {
    const title = questions.length === 1 ? 'Codex asks' : `Codex asks ${questions.length} questions`;
    const answer = await ctx.requestInteraction({
      type: 'input',
      key: 'questions',
      title,
      inputSchema: toForm(questions),
      ...patient,
    });
    return isAnswer(answer) && answer.action === 'submit' ? { answers: toAnswers(questions, answer.input ?? {}) } : {};
  },
});

const elicitationSchema = z.looseObject({
  serverName: z.string(),
  message: z.string(),
  mode: z.enum(['form', 'url']),
});

export const codexElicitation = defineTool({
  name: 'codex_elicitation',
  description: 'Ask people what an MCP server of Codex wants to know.',
  parameters: z.object({ params: elicitationSchema }),
  ...live,
  async handler({ params }, ctx: ToolContext) {
    const { serverName, message, _meta: meta } = params;
    const { shown, read } = readElicitation(params);
    const answer = await ctx.requestInteraction({
      ...shown,
      key: 'elicitation',
      title: `The MCP server ${serverName} asks`.slice(0, 200),
      prompt: [message, ...(isRecord(meta) ? [`_meta: ${JSON.stringify(meta)}`] : [])].join('\n\n'),
      ...patient,
    });
    return isAnswer(answer) ? { ...read(answer) } : {}; // without an answer the terminal decides
  },
});
