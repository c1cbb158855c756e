import { defineTool, readElicitation, type ToolContext } from '@parleyhq/core';
import * as z from 'zod';
import { AgentCall } from '../agent-call.ts';
import { askElicitation } from '../elicit.ts';
import { askPermission } from '../permission.ts';
import { Elicitation, Permission } from '../request.ts';

const members = z.record(z.string(), z.unknown());
const kinds = ['allow_once', 'allow_always', 'reject_once', 'reject_always'] as const;

/** An option of an unknown kind is never offered: what it does is unknown. */
const optionSchema = z.looseObject({ optionId: z.string(), name: z.string(), kind: z.enum(kinds) });

/** The proxy waits for the answer, and a question dies with it. */
const live = { readOnly: true, asking: true, endsWithRequest: true, hibernates: false, durable: false } as const;

const silence = 'The agent reads no reason or comments: they stay in this transcript.';

export const acpPermission = defineTool({
  name: 'acp_permission',
  description: 'Ask people for a permission that an agent in an editor asks for.',
  parameters: z.object({ agent: z.string(), call: members.default({}), options: z.array(z.unknown()) }),
  ...live,
  async handler({ agent, call, options }, ctx: ToolContext) {
    const offered = options.flatMap((option) => optionSchema.safeParse(option).data ?? []);
    if (offered.length === 0) throw new TypeError('no option has a known kind'); // the editor may show them
    const permission = new Permission({ options: offered });
    await askPermission(ctx, new AgentCall(call), permission, { agent, number: 1, timeoutMs: null, words: silence });
    return permission.answered;
  },
});

export const acpQuestion = defineTool({
  name: 'acp_question',
  description: 'Ask people what an agent in an editor wants to know.',
  parameters: z.object({ agent: z.string(), params: members }),
  ...live,
  async handler({ agent, params }, ctx: ToolContext) {
    readElicitation(params); // if it cannot be shown here, the editor may show it
    const elicitation = new Elicitation(params as never);
    await askElicitation(ctx, elicitation, { agent, number: 1, timeoutMs: null });
    return elicitation.answered;
  },
});
