import { quoteDescription, toDetails, toSubject, toTitle } from '@parleyhq/claude-tools';
import { type CallDescription, defineTool, type GrantKey, isRecord, type Json, type ToolContext } from '@parleyhq/core';
import { type CallContext, unwrap } from './call-context.ts';
import { isInEditZone } from './edit-zone.ts';
import type { Asked } from './pending-call.ts';
import { isAsNamed, offerSuggested } from './suggested-rule.ts';

type Args = Record<string, unknown>;

/** State of a call that a restart needs and that is not in the log. */
interface Mark {
  readonly asked: Asked;
  readonly isStarted: boolean;
}

interface SdkTool {
  readonly name: string;
  readonly description: string;
  readonly readOnly?: boolean;
  /** The argument that names the file to change: in mode `acceptEdits`, edits in the working folder need no approval. */
  readonly edits?: string;
}

/** The tools that the SDK itself runs. */
export const sdkTools: readonly SdkTool[] = [
  { name: 'Bash', description: 'Run a command.' },
  { name: 'Read', description: 'Read a file.', readOnly: true },
  { name: 'Glob', description: 'Find files by name.', readOnly: true },
  { name: 'Grep', description: 'Find text in files.', readOnly: true },
  { name: 'Write', description: 'Write a file.', edits: 'file_path' },
  { name: 'Edit', description: 'Change a file.', edits: 'file_path' },
  { name: 'NotebookEdit', description: 'Change a notebook.', edits: 'notebook_path' },
  { name: 'WebFetch', description: 'Read a page of the web.' },
  { name: 'WebSearch', description: 'Search the web.' },
];

/**
 * A tool of the SDK as one of Parley's: the SDK decides whether it needs permission and why, people give it, and the SDK runs it.
 * The call and its result are in the log like any other.
 */
export function makeSdkTool(desk: CallContext, { name, description, readOnly = false, edits }: SdkTool) {
  return defineTool({
    name,
    description,
    parameters: { type: 'object' },
    describe: (args: Args) => describeUse(name, args),
    readOnly,
    onInterrupted: 'retry', // only this tool knows whether the call was running, and then asks before running it again
    timeoutMs: desk.timeoutMs,
    async handler(args: Args, ctx) {
      const mark = await readMark(ctx);
      if (mark?.isStarted && !readOnly) await askAgain(desk, ctx, args);
      const begun = mark ?? (await desk.begin(ctx));
      if ('output' in begun) return unwrap(ctx, begun.output);
      const { asked } = begun;
      await writeMark(ctx, { asked, isStarted: false });
      const isEdit = edits !== undefined && (await isWelcome(desk, ctx, asked, args[edits]));
      const permitted = await permit(desk, ctx, args, { ...asked, isEdit });
      await writeMark(ctx, { asked, isStarted: true });
      const text = await desk.run(ctx, permitted);
      await ctx.state.delete(markKey(ctx));
      return text;
    },
  });
}

const markKey = ({ toolCallId }: ToolContext) => `call:${toolCallId}`;

async function readMark(ctx: ToolContext): Promise<Mark | undefined> {
  return (await ctx.state.get(markKey(ctx))) as unknown as Mark | undefined;
}

async function writeMark(ctx: ToolContext, mark: Mark): Promise<void> {
  await ctx.state.set(markKey(ctx), mark as unknown as Json);
}

/** @returns the approved arguments, possibly edited @throws ToolError `denied`, `cancelled` or `timeout`, with the reason */
async function permit(
  desk: CallContext,
  ctx: ToolContext,
  args: Args,
  asked: Asked & { readonly isEdit: boolean },
): Promise<Args> {
  const { reason, suggestions, isEdit } = asked;
  const { toolName } = ctx;
  const folder = await desk.workingFolder(ctx);
  const rules = await offerSuggested(suggestions, { toolName, args, folder, isEdit });
  const approval = await ctx.approve<Args>({
    key: (args) => toGrantKey(toolName, args),
    ...describeUse(toolName, args, reason),
    rules,
    suggest: await isAsNamed(args),
    editable: true,
    isEdit,
    timeoutMs: desk.promptTimeoutMs,
    onUnavailable: 'wait',
  });
  if (approval.approved) return approval.args;
  throw ctx.error(approval.code, approval.reason);
}

/** @param reason why the SDK asks; it gives its reason only once the call is under way */
function describeUse(tool: string, args: Args, reason?: string): CallDescription {
  const why = reason === undefined ? [] : [`${reason}.`];
  const parts = [
    quoteDescription(tool, args),
    ...toDetails(tool, args),
    ...why,
    '"For session" allows exactly this again.',
  ];
  const prompt = parts.filter((part) => part !== '').join(' ');
  return { title: toTitle(tool, args), prompt, subject: toSubject(tool, args) };
}

/** Whether mode `acceptEdits` covers the call. If the SDK has a reason of its own to ask, a person decides. */
async function isWelcome(desk: CallContext, ctx: ToolContext, { reason }: Asked, path: unknown): Promise<boolean> {
  return reason === undefined && isInEditZone(await desk.workingFolder(ctx), path);
}

/** Asks whether to run an interrupted call again: nothing runs twice without asking (DUR4). @throws ToolError `interrupted` */
async function askAgain(desk: CallContext, ctx: ToolContext, args: Args): Promise<void> {
  const answer = await ctx.requestInteraction({
    type: 'approval',
    key: 'again',
    title: `The server stopped while "${ctx.toolName}" was running. Run it again?`,
    subject: toSubject(ctx.toolName, args),
    approvalScopes: ['once'],
    timeoutMs: desk.promptTimeoutMs,
    onUnavailable: 'wait',
  });
  if (isRecord(answer) && answer.action === 'approve') return;
  throw ctx.error('interrupted', 'The server stopped while it was running, and how far it got is unknown.');
}

/** The key of an approval for the session: all that was shown, so that it covers identical calls. Rules cover more. */
function toGrantKey(tool: string, { description, ...args }: Args): GrantKey {
  return [tool, (tool === 'Bash' || description === undefined ? args : { ...args, description }) as Json];
}
