import {
  type CallDescription,
  defineTool,
  type FormValues,
  hasVisible,
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

/** What the permission prompt of Claude Code reads. */
type Decision =
  | { readonly behavior: 'allow'; readonly updatedInput: Input; readonly updatedPermissions?: readonly Json[] }
  | { readonly behavior: 'deny'; readonly message: string };

/** What a hook of Codex reads. Where it decides nothing, the program's own prompt does. */
interface HookAnswer {
  readonly hookSpecificOutput?: { readonly hookEventName: 'PermissionRequest'; readonly decision: object };
}

/** What came of asking: what a person said, or why nobody said anything. */
interface Outcome {
  readonly decision: Decision;
  readonly isPersons: boolean;
}

/** What a program wants to do. */
interface Wish {
  readonly tool: string;
  readonly args: Input;
  readonly suggestions: readonly unknown[];
  /** It runs its own arguments and takes no others. */
  readonly isFixed: boolean;
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

type Request = z.infer<typeof parameters>;

export const permission = defineTool({
  name: 'permission',
  description:
    'Ask a person whether a coding agent may use one of its tools. For the permission prompts of such agents.',
  parameters,
  ...asking,
  endsWithRequest: true,
  describe: (request) => describeWish(toWish(request)),
  async handler(request, ctx): Promise<Decision | HookAnswer> {
    const wish = toWish(request);
    const outcome = await ask(ctx, wish);
    return wish.isFixed ? toHookAnswer(outcome) : outcome.decision;
  },
});

/** Whoever gives arguments as hooks do is a hook of Codex. */
function toWish({ tool_name: tool, input, tool_input, permission_suggestions: suggestions = [] }: Request): Wish {
  return { tool, args: input ?? tool_input ?? {}, suggestions, isFixed: tool_input !== undefined };
}

async function ask(ctx: ToolContext, wish: Wish): Promise<Outcome> {
  const { tool, args } = wish;
  if (!nameable.test(tool))
    return refuse(
      'The name of a tool is 1 to 200 letters of English, digits and "_.:/-": nobody was asked about this one.',
    );
  try {
    return await (tool === 'AskUserQuestion' ? askQuestions(ctx, args) : askPermission(ctx, wish));
  } catch (error) {
    return refuse(toToolError(error).message); // whatever goes wrong is no yes
  }
}

/** Codex takes no changed arguments, and nothing beside this form. It suggests no rules, so that none is given back to it. */
function toHookAnswer({ decision, isPersons }: Outcome): HookAnswer {
  if (!isPersons) return {};
  const { updatedInput: _, ...said } = { updatedInput: undefined, ...decision };
  return { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: said } };
}

/** What the arguments say; nothing is opened that they name. */
function describeWish({ tool, args }: Wish): CallDescription {
  const prompt = toDetails(tool, args).join(' ');
  return { title: `Allow "${tool}"?`, ...(prompt !== '' && { prompt }), subject: toSubject(tool, args) };
}

async function askPermission(ctx: ToolContext, wish: Wish): Promise<Outcome> {
  const { suggestions } = wish;
  const fault = findFault(wish);
  if (fault !== undefined) return refuse(`${fault} Nobody was asked.`);
  const rules = offerSuggestions(suggestions);
  const approval = await ctx.approve<Request>({
    key: 'permission', // it holds once, and a call asks once
    ...describeWish(wish),
    scopes: ['once'],
    ...(rules.length > 0 && { rules }),
    ...offerEdit(wish),
    check: (edited) => findFault(toWish(edited)),
    ...waitFor(),
  });
  const isPersons = approval.by !== undefined;
  if (!approval.approved) {
    const { code, reason } = approval;
    return { decision: { behavior: 'deny', message: reason }, isPersons: isPersons && code === 'denied' };
  }
  const updatedPermissions = readChosen(suggestions, approval.ruleId);
  const updatedInput = toWish(approval.args).args;
  return {
    decision: { behavior: 'allow', updatedInput, ...(updatedPermissions && { updatedPermissions }) },
    isPersons,
  };
}

/** A command is edited as it is read, anything else as JSON; a plan is what it is. */
function offerEdit({ tool, args, isFixed }: Wish): { editable?: true; editPath?: string[] } {
  if (isFixed || tool === 'ExitPlanMode') return {};
  const isCommand = tool === 'Bash' && typeof args.command === 'string';
  return { editable: true, editPath: isCommand ? ['input', 'command'] : ['input'] };
}

function findFault(wish: Wish): string | undefined {
  const { prompt = '', subject = { text: '' } } = describeWish(wish);
  if (Math.max(subject.text.length, prompt.length) > maxShownLength) return 'It is too long to be read.';
  return hasVisible(subject.text) ? undefined : 'There is nothing to read in it.';
}

async function askQuestions(ctx: ToolContext, args: Input): Promise<Outcome> {
  const parsed = questionsSchema.safeParse(args);
  if (!parsed.success) return refuse(`The questions cannot be shown: ${describe(parsed.error.issues)}.`);
  const { questions } = parsed.data;
  const said = await ctx.requestInteraction({
    type: 'input',
    title: 'The agent asks',
    presentation: 'questionnaire',
    inputSchema: toQuestionForm(questions),
    ...waitFor(),
  });
  if (!isAnswer(said)) return refuse('Nobody answered in time.');
  if (said.action !== 'submit') return refuse(said.reason ?? 'The person did not want to answer this.');
  const answers = toAnswers(questions, said.input as FormValues);
  return { decision: { behavior: 'allow', updatedInput: { ...args, ...answers } }, isPersons: true };
}

/** No yes, and no person's no either. */
function refuse(message: string): Outcome {
  return { decision: { behavior: 'deny', message }, isPersons: false };
}

function describe(issues: readonly z.core.$ZodIssue[]): string {
  return issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
}
