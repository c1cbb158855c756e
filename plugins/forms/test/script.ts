import {
  type ApprovalDesk,
  type ApprovalScope,
  approve,
  type InteractionAnswer,
  type InteractionDemand,
  type InteractionSpec,
  interactionSpecSchema,
  nameGrant,
  type Outcome,
  type Tool,
  type ToolContext,
  ToolError,
} from '@parleyhq/core';
import plugin from '../src/index.ts';

type ScriptedAnswer = Pick<InteractionAnswer, 'action'> & Partial<InteractionAnswer>;

/** A context whose prompts get these answers in order; `asked` records the prompts. */
export function scriptContext(...script: (ScriptedAnswer | 'timeout')[]) {
  const asked: InteractionSpec[] = [];
  const grants = new Map<string, ApprovalScope>();

  async function requestInteraction(demand: InteractionDemand): Promise<unknown> {
    asked.push(interactionSpecSchema.parse(demand));
    const next = script.shift();
    if (!next) throw new Error('The script has no further answer.');
    if (next === 'timeout' && !demand.onTimeout) return { ok: false, error: 'timeout' };
    const outcome =
      next === 'timeout'
        ? await demand.onTimeout?.()
        : await (demand.onResponse ?? complete)(next as InteractionAnswer);
    return settle(demand, outcome as Outcome);
  }

  const complete = (answer: InteractionAnswer): Outcome => ({ complete: answer });

  async function settle(demand: InteractionDemand, outcome: Outcome): Promise<unknown> {
    if ('reprompt' in outcome) return requestInteraction({ ...demand, ...outcome.reprompt } as InteractionDemand);
    return 'complete' in outcome ? outcome.complete : { queued: true, ...outcome.pending, pending: true };
  }

  const ctx = {
    requestInteraction: requestInteraction as ToolContext['requestInteraction'],
    error: (code, message) => new ToolError(code, message),
    approve: (demand) => approve(desk, demand),
    step: (async (_, fn) => fn()) as ToolContext['step'],
  } satisfies Partial<ToolContext> as unknown as ToolContext;

  const desk: ApprovalDesk = {
    callArgs: null,
    find: async (key) => {
      const scope = grants.get(nameGrant(key));
      return scope && { approved: true, scope };
    },
    ask: async (demand, offer) => {
      const answer = (await requestInteraction(demand)) as InteractionAnswer;
      if (answer.approvalScope && answer.approvalScope !== 'once') grants.set(offer.key, answer.approvalScope);
      return answer;
    },
    keep: async ({ key, scope }) => {
      grants.set(key, scope);
      return true;
    },
    parse: async (args) => args,
  };

  /** Runs a tool with its arguments parsed, as the server would. */
  async function run(toolName: string, args: object = {}): Promise<unknown> {
    const tool: Tool | undefined = plugin.tools.find((candidate) => candidate.name === toolName);
    if (!tool || !('parse' in tool.parameters)) throw new Error(`There is no tool ${toolName}.`);
    const parsed = (tool.parameters as { parse(args: object): Record<string, unknown> }).parse(args);
    return tool.handler(parsed, ctx);
  }

  return { asked, run, say: (...more: (ScriptedAnswer | 'timeout')[]) => void script.push(...more) };
}

export function submit(input: NonNullable<ScriptedAnswer['input']>): ScriptedAnswer {
  return { action: 'submit', input };
}
