import {
  type Approval,
  isRecord,
  maxRules,
  type OfferedRule,
  type Subject,
  type ToolContext,
  toToolError,
  wordsOf,
} from '@parleyhq/core';
import { askChoice, countLeftOut } from '@parleyhq/door-kit';
import { type AgentCall, showDiff } from './agent-call.ts';
import type { Permission } from './request.ts';
import type { PermissionOption } from './sdk.ts';

/** Limit of the name of an option that lasts, in characters: nobody reads a longer one to the end. */
const maxName = 300;

/** Codes of prompts that ended without an answer, with their turn or call. */
const endings: ReadonlySet<string> = new Set(['cancelled', 'call_closed', 'withdrawn']);

export interface Asking {
  /** The agent's name. */
  readonly agent: string;
  /** Number of the request within the call. */
  readonly number: number;
  readonly timeoutMs: number | null;
  /** Whether the log has the call as it is asked about: what is suggested and covered is judged by that. */
  readonly isAsLogged?: boolean;
  /** What becomes of what people say with their answer. */
  readonly words?: string;
}

const wordsLater = 'A reason or comments reach the agent with your next message.';

/** What people decided, and what they said with it. */
export interface Permitted {
  readonly isAllowed: boolean;
  readonly words?: string | undefined;
}

/** Asks people for a permission and answers the agent with the option they chose, and with no other. Whatever else happens is a no. */
export async function askPermission(
  ctx: ToolContext,
  call: AgentCall,
  permission: Permission,
  asking: Asking,
): Promise<Permitted> {
  try {
    const yes = findYes(permission.options);
    return await (yes ? approve(ctx, call, permission, { ...asking, yes }) : choose(ctx, call, permission, asking));
  } catch (error) {
    if (endings.has(toToolError(error).code)) permission.cancel();
    else permission.refuse();
    throw error;
  }
}

/** The option that a plain yes stands for: the only one for once. A yes never means one that lasts (SEC4, APR6). */
function findYes(options: readonly PermissionOption[]): PermissionOption | undefined {
  const [once, ...others] = options.filter(({ kind }) => kind === 'allow_once');
  return others.length === 0 ? once : undefined;
}

async function approve(
  ctx: ToolContext,
  call: AgentCall,
  permission: Permission,
  {
    agent,
    number,
    timeoutMs,
    yes,
    isAsLogged = false,
    words = wordsLater,
  }: Asking & { readonly yes: PermissionOption },
): Promise<Permitted> {
  const lasting = permission.options.filter(({ kind }) => kind === 'allow_always');
  const offered = lasting.filter(({ name }) => name.length <= maxName).slice(0, maxRules);
  const { subject, details } = describe(call);
  const answers = `“Allow” answers “${yes.name}”. ${sayNo(permission, agent)}`;
  const leftOut = countLeftOut(lasting.length - offered.length);
  const approval: Approval = await ctx.approve({
    key: [agent, number, { title: call.title, subject: { kind: subject.kind, text: subject.text } }],
    title: `${agent}: ${call.title}`,
    prompt: [...details, answers, ...leftOut, words].join('\n\n'),
    subject,
    scopes: ['once'],
    rules: offered.map((option, index) => toRule(option, index, agent)),
    suggest: isAsLogged && subject.kind === 'command', // rules are in words about commands
    isEdit: call.kind === 'edit',
    timeoutMs,
    onUnavailable: 'wait',
    signal: permission.signal,
  });
  if (!approval.approved) {
    if (approval.code === 'cancelled' && !approval.by) permission.cancel();
    else permission.refuse();
    return { isAllowed: false, words: approval.reason };
  }
  permission.choose(approval.ruleId === undefined ? yes : (offered[Number(approval.ruleId)] ?? yes));
  return { isAllowed: true, words: approval.by && approval.reason };
}

/** Asks with a choice of all options, if no single one of them is what a plain yes would mean. */
async function choose(
  ctx: ToolContext,
  call: AgentCall,
  permission: Permission,
  { agent, number, timeoutMs }: Asking,
): Promise<Permitted> {
  if (permission.options.length === 0) {
    permission.cancel();
    return { isAllowed: false, words: 'The agent offers no option.' };
  }
  const choices = permission.options.map(
    (option, index) =>
      ({
        id: String(index),
        label: `${option.name}${lasts(option, agent)}`,
        allows: option.kind === 'allow_once' ? 'once' : option.kind === 'allow_always' ? 'always' : undefined,
      }) as const,
  );
  const { answer, choice } = await askChoice(ctx, choices, {
    key: `permission-${number}`,
    title: `${agent}: ${call.title}`,
    ...describe(call),
    timeoutMs,
    onUnavailable: 'wait',
    signal: permission.signal,
  });
  const said = answer && wordsOf(answer);
  const option = choice === undefined ? undefined : permission.options[Number(choice)];
  if (!option) {
    permission.refuse();
    return { isAllowed: false, words: said ?? 'Nobody chose an option.' };
  }
  permission.choose(option);
  if (isAllowing(option)) return { isAllowed: true, words: said };
  return { isAllowed: false, words: said === undefined ? option.name : `${option.name}: ${said}` };
}

function isAllowing({ kind }: PermissionOption): boolean {
  return kind === 'allow_once' || kind === 'allow_always';
}

function lasts({ kind }: PermissionOption, agent: string): string {
  return kind.endsWith('_always') ? ` (this lasts: ${agent} remembers it)` : '';
}

function sayNo(permission: Permission, agent: string): string {
  const { no } = permission;
  const answer = no ? `answers “${no.name}”${lasts(no, agent)}` : 'cancels the request: no option says no';
  return `“Deny” ${answer}.`;
}

function toRule(option: PermissionOption, index: number, agent: string): OfferedRule {
  const label = `this with the answer “${option.name}”${lasts(option, agent)}`;
  return { id: String(index), label, key: [option.optionId], scopes: ['always'], keptByCaller: true };
}

/** What people read: the change, the command, the plan, or all arguments; and what else the agent says of the call (WEB7). */
function describe(call: AgentCall): { readonly subject: Subject; readonly details: string[] } {
  const { rawInput = {}, locations } = call.members;
  const input = isRecord(rawInput) ? rawInput : { rawInput };
  const files = (Array.isArray(locations) ? locations : []).map(({ path }) => `Path: ${String(path)}`);
  const details = [call.text, ...files].filter((text) => text !== '');
  const diffs = call.contents('diff');
  if (diffs.length > 0) {
    const shown = diffs.flatMap(({ path, oldText, newText }) => [path, oldText, newText]);
    const subject: Subject = { kind: 'diff', text: diffs.map(showDiff).join('\n') };
    return { subject, details: [...details, ...listOthers(input, [...shown, call.text])] };
  }
  const { command, description, ...rest } = input;
  if (call.kind === 'execute' && typeof command === 'string') {
    const why = typeof description === 'string' && description !== call.text ? [description] : [];
    return { subject: { kind: 'command', text: command }, details: [...details, ...why, ...listOthers(rest)] };
  }
  if (call.kind === 'switch_mode' && call.text !== '') {
    const subject: Subject = { kind: 'markdown', text: call.text, thread: 'plan' }; // whatever its title
    return { subject, details: [...files, ...listOthers(input, [call.text])] };
  }
  return { subject: { kind: 'json', text: JSON.stringify(rawInput, null, 2) }, details };
}

/** Lists the arguments that are not shown already. A command always is: as a text of a change it would be another deed. */
function listOthers(input: Readonly<Record<string, unknown>>, shown: readonly unknown[] = []): string[] {
  return Object.entries(input).flatMap(([name, value]) =>
    name !== 'command' && shown.includes(value)
      ? []
      : [`${JSON.stringify(name).slice(1, -1)}: ${JSON.stringify(value)}`],
  );
}
