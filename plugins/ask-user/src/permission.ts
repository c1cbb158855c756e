import {
  coversCall,
  offerSuggestions,
  questionsSchema,
  quoteDescription,
  readChosen,
  suggestCallRules,
  titleOfQuestions,
  toAnswers,
  toDetails,
  toQuestionForm,
  toSubject,
  toTitle,
} from '@parleyhq/claude-tools';
import {
  type AskedCall,
  type CallDescription,
  defineTool,
  type FormValues,
  hasVisible,
  isAnswer,
  type Json,
  maxShownLength,
  type OfferedRule,
  type Rule,
  type ToolContext,
  toToolError,
} from '@parleyhq/core';
import * as z from 'zod';
import { asking, waitFor } from './asking.ts';

type Input = Record<string, unknown>;

/** The format in which Claude Code expects the answer to a permission prompt. */
type Decision =
  | { readonly behavior: 'allow'; readonly updatedInput: Input; readonly updatedPermissions?: readonly Json[] }
  | { readonly behavior: 'deny'; readonly message: string };

/** The answer to a Codex hook. If it contains no decision, Codex shows its own prompt. */
interface HookAnswer {
  readonly hookSpecificOutput?: { readonly hookEventName: 'PermissionRequest'; readonly decision: object };
}

/** A decision, and whether a person made it. If nobody did, the message of the denial says why. */
interface Outcome {
  readonly decision: Decision;
  readonly isPersons: boolean;
}

/** The tool call that a coding agent wants to make. */
interface Wish {
  readonly tool: string;
  readonly args: Input;
  readonly suggestions: readonly unknown[];
  readonly folder: string | undefined;
  /** Whether the agent accepts no edited arguments. */
  readonly isFixed: boolean;
}

const input = z.record(z.string(), z.unknown());

/** Tool names that coding agents and MCP use. The name is quoted in a question, so it must not be able to add words to it. */
const nameable = /^[A-Za-z0-9_.:/-]{1,200}$/;

/** Not strict: these arguments come from another program, and prompts must still work if a new release adds some. */
const parameters = z
  .object({
    tool_name: z.string(),
    input: input.optional().describe('The arguments of the tool.'),
    tool_input: input.optional().describe('The same, under the name that hooks give it.'),
    tool_use_id: z.string().optional(),
    folder: z.string().optional().describe('Where the call would run, if that is not the folder of the session.'),
    permission_suggestions: z
      .array(z.unknown())
      .optional()
      .describe('The rules that Claude Code suggests allowing from now on, in the format of its hooks.'),
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

/** A request with `tool_input`, the name that hooks use, is treated as a hook of Codex. */
function toWish({ tool_name: tool, input, tool_input, folder, permission_suggestions = [] }: Request): Wish {
  const args = input ?? tool_input ?? {};
  return { tool, args, folder, suggestions: permission_suggestions, isFixed: tool_input !== undefined };
}

async function ask(ctx: ToolContext, wish: Wish): Promise<Outcome> {
  const { tool, args } = wish;
  if (!nameable.test(tool))
    return refuse(
      'Nobody was asked: the name of a tool must be 1 to 200 English letters, digits and characters of "_.:/-".',
    );
  try {
    return await (tool === 'AskUserQuestion' ? askQuestions(ctx, args) : askPermission(ctx, wish));
  } catch (error) {
    return refuse(toToolError(error).message); // an error must never count as approval
  }
}

/**
 * Suggests rules for calls of one tool of a coding agent. None is for files: Parley opens no path that a program names, and cannot
 * see where a link leads (LESS2).
 */
export function suggestPermissions(calls: readonly AskedCall[]): readonly OfferedRule[] {
  const [first, ...others] = calls.filter(({ toolName }) => toolName === 'permission').map(({ args }) => toWish(args));
  if (!first || others.some(({ tool }) => tool !== first.tool)) return [];
  return suggestCallRules(
    first.tool,
    [first, ...others].map(({ args }) => args),
    { withFiles: false },
  );
}

/** Whether a suggested rule covers a request of a coding agent. */
export function coversPermission(rule: Rule, request: Request): boolean {
  const { tool, args } = toWish(request);
  return coversCall(rule, tool, args);
}

/** Codex accepts exactly this format, without changed arguments. It suggests no rules, so none are returned. */
function toHookAnswer({ decision, isPersons }: Outcome): HookAnswer {
  if (!isPersons) return {};
  const { updatedInput: _, ...said } = { updatedInput: undefined, ...decision };
  return { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: said } };
}

/** Describes the call by its arguments and folder alone; files that they name are not opened. */
function describeWish({ tool, args, folder }: Wish): CallDescription {
  const prompt = [quoteDescription(tool, args), ...toDetails(tool, args, folder)]
    .filter((part) => part !== '')
    .join(' ');
  return { title: toTitle(tool, args), ...(prompt !== '' && { prompt }), subject: toSubject(tool, args) };
}

async function askPermission(ctx: ToolContext, wish: Wish): Promise<Outcome> {
  const { suggestions } = wish;
  const fault = findFault(wish);
  if (fault !== undefined) return refuse(`${fault} Nobody was asked.`);
  const rules = offerSuggestions(suggestions);
  const approval = await ctx.approve<Request>({
    key: 'permission', // one key is enough: the approval counts once, and each call asks once
    ...describeWish(wish),
    scopes: ['once'],
    wordsOnlyWithDenial: true, // an approval has no message in the formats of Claude Code and Codex
    ...(rules.length > 0 && { rules }),
    suggest: true,
    ...offerEdit(wish),
    check: (edited) => findFault(toWish(edited)),
    ...waitFor(),
  });
  const isPersons = approval.approved || approval.by !== undefined; // a grant that allows it was given by a person
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

/** A Bash command is edited as text and other arguments as JSON; a plan cannot be edited. */
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
    title: titleOfQuestions(questions),
    presentation: 'questionnaire',
    inputSchema: toQuestionForm(questions),
    ...waitFor(),
  });
  if (!isAnswer(said)) return refuse('Nobody answered in time.');
  if (said.action !== 'submit') return refuse(said.reason ?? 'The person did not want to answer this.');
  const answers = toAnswers(questions, said.input as FormValues);
  return { decision: { behavior: 'allow', updatedInput: { ...args, ...answers } }, isPersons: true };
}

/** A denial that no person made. */
function refuse(message: string): Outcome {
  return { decision: { behavior: 'deny', message }, isPersons: false };
}

function describe(issues: readonly z.core.$ZodIssue[]): string {
  return issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
}
