import {
  defineTool,
  type FormValues,
  isAnswer,
  type Json,
  maxShownLength,
  type ToolContext,
  toToolError,
} from '@parleyhq/core';
import {
  offerSuggestions,
  questionsSchema,
  readChosen,
  toAnswers,
  toDetails,
  toQuestionForm,
  toSubject,
} from '@parleyhq/core/claude-code';
import * as z from 'zod';
import { asking, waitFor } from './asking.ts';

type Input = Record<string, unknown>;

/** What Claude Code and Codex read. */
type Decision =
  | { readonly behavior: 'allow'; readonly updatedInput: Input; readonly updatedPermissions?: readonly Json[] }
  | { readonly behavior: 'deny'; readonly message: string };

/** What a program wants to do. */
interface Wish {
  readonly tool: string;
  readonly args: Input;
  readonly suggestions: readonly unknown[];
}

const input = z.record(z.string(), z.unknown());

/** Names of tools as coding agents and MCP have them. The name stands in a question, in quotation marks: it adds no words to it. */
const nameable = /^[A-Za-z0-9_.:/-]{1,200}$/;

/** Not strict: these arguments are another program's, and a new release of it must not lose its prompts. */
const parameters = z
  .object({
    tool_name: z.string(),
    input: input.optional().describe('The arguments of the tool.'),
    tool_input: input.optional().describe('The same, under the name that hooks give it.'),
    tool_use_id: z.string().optional(),
    permission_suggestions: z
      .array(z.unknown())
      .optional()
      .describe('What Claude Code suggests to allow from now on, as its hooks say it.'),
  })
  .superRefine(({ input, tool_input }, { addIssue }) => {
    if ((input === undefined) !== (tool_input === undefined)) return;
    const message = input ? 'does not go with "input": give one of them' : "the tool's arguments are missing";
    addIssue({ code: 'custom', path: [input ? 'tool_input' : 'input'], message });
  });

export const permission = defineTool({
  name: 'permission',
  description:
    'Ask a person whether a coding agent may use one of its tools. For the permission prompts of such agents.',
  parameters,
  ...asking,
  endsWithRequest: true,
  async handler(request, ctx): Promise<Decision> {
    const {
      tool_name: tool,
      input,
      tool_input: args = input ?? {},
      permission_suggestions: suggestions = [],
    } = request;
    if (!nameable.test(tool))
      return deny(
        'The name of a tool is 1 to 200 letters of English, digits and "_.:/-": nobody was asked about this one.',
      );
    try {
      return await (tool === 'AskUserQuestion'
        ? askQuestions(ctx, args)
        : askPermission(ctx, { tool, args, suggestions }));
    } catch (error) {
      return deny(toToolError(error).message); // whatever goes wrong is no yes
    }
  },
});

/** Shows what the arguments say, and opens nothing that they name. */
async function askPermission(ctx: ToolContext, { tool, args, suggestions }: Wish): Promise<Decision> {
  const subject = toSubject(tool, args);
  const prompt = toDetails(tool, args).join(' ');
  const rules = offerSuggestions(suggestions);
  if (Math.max(subject.text.length, prompt.length) > maxShownLength)
    return deny('It is too long to be read: nobody was asked.');
  const said = await ctx.requestInteraction({
    type: 'approval',
    title: `Allow "${tool}"?`,
    ...(prompt !== '' && { prompt }),
    subject,
    approvalScopes: ['once'],
    ...(rules.length > 0 && { rules }),
    ...waitFor(),
  });
  if (!isAnswer(said)) return deny('Nobody answered in time.');
  const updatedPermissions = readChosen(suggestions, said.ruleId);
  if (said.action === 'approve')
    return { behavior: 'allow', updatedInput: args, ...(updatedPermissions && { updatedPermissions }) };
  return deny(said.reason ?? (said.action === 'deny' ? 'A person did not allow this.' : 'A person cancelled this.'));
}

async function askQuestions(ctx: ToolContext, args: Input): Promise<Decision> {
  const parsed = questionsSchema.safeParse(args);
  if (!parsed.success) return deny(`The questions cannot be shown: ${describe(parsed.error.issues)}.`);
  const { questions } = parsed.data;
  const said = await ctx.requestInteraction({
    type: 'input',
    title: 'The agent asks',
    presentation: 'questionnaire',
    inputSchema: toQuestionForm(questions),
    ...waitFor(),
  });
  if (!isAnswer(said)) return deny('Nobody answered in time.');
  if (said.action !== 'submit') return deny(said.reason ?? 'The person did not want to answer this.');
  const answers = toAnswers(questions, said.input as FormValues);
  return { behavior: 'allow', updatedInput: { ...args, ...answers } };
}

function deny(message: string): Decision {
  return { behavior: 'deny', message };
}

function describe(issues: readonly z.core.$ZodIssue[]): string {
  return issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
}
