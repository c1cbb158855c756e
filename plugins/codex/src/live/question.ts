import { toTitle } from '@parleyhq/claude-tools';
import { isRecord, type Json, maxShownLength, readElicitation, type Subject } from '@parleyhq/core';
import * as z from 'zod';
import type { Card } from './card.ts';
import { type Change, showChanges, titleOfChanges } from './changes.ts';
import { type Answering, findLastingDenials, toChangeChoices, toChoices } from './decisions.ts';
import { showPermissions, toPermissionChoices } from './permissions.ts';
import { oneLine, quoteName, ruleWords } from './words.ts';

type Members = Readonly<Record<string, unknown>>;

/** A question of Codex for people, and the way back from what they answered. */
export interface Question {
  /** What the server is sent. */
  readonly asking:
    | { readonly kind: 'approval'; readonly card: Card }
    | { readonly kind: 'questions'; readonly questions: readonly UserQuestion[] }
    | { readonly kind: 'elicitation'; readonly params: Members };
  /** Returns the result for Codex; undefined if what people answered is not one of the answers that it takes. */
  read(answer: object): object | undefined;
}

/** Limit of what a card shows, in characters; its words for the answers come on top. */
const maxShown = maxShownLength - 2000;

const userQuestionSchema = z.object({
  id: z.string().min(1),
  header: z.string().nullish(),
  question: z.string().min(1),
  isOther: z.boolean().default(false),
  isSecret: z.boolean().default(false),
  options: z.array(z.object({ label: z.string().min(1), description: z.string().nullish() })).nullish(),
});
export const userQuestionsSchema = z.array(userQuestionSchema).min(1).max(10);

export type UserQuestion = z.infer<typeof userQuestionSchema>;

/**
 * Reads a request of Codex.
 * @param changes - the changes of its item, if they are known
 * @returns undefined for a request that is not understood, which must never be answered
 */
export function readQuestion(
  method: string,
  params: Members,
  changes: readonly Change[] | undefined,
): Question | undefined {
  switch (method) {
    case 'item/commandExecution/requestApproval':
      return readCommand(params);
    case 'item/fileChange/requestApproval':
      return readFileChange(params, changes);
    case 'item/permissions/requestApproval':
      return readPermissions(params);
    case 'item/tool/requestUserInput':
      return readUserInput(params);
    case 'mcpServer/elicitation/request':
      return readWish(params);
    default:
      return undefined;
  }
}

/** Members that say where a request belongs, or that the choices and the subject show. */
const shown: ReadonlySet<string> = new Set(
  `kind threadId turnId itemId approvalId startedAtMs environmentId reason command cwd commandActions availableDecisions
  proposedExecpolicyAmendment proposedNetworkPolicyAmendments networkApprovalContext grantRoot permissions`.split(
    /\s+/,
  ),
);

/** What else a request says: some of it widens what is allowed. */
function findMore(params: Members): string[] {
  const environment = params.environmentId;
  return [
    ...(typeof params.reason === 'string' && params.reason !== '' ? [`“${params.reason}”`] : []),
    ...(typeof environment === 'string' && environment !== 'local' ? [`Environment: ${oneLine(environment)}`] : []),
    ...Object.entries(params).flatMap(([name, value]) =>
      shown.has(name) || value === null || value === undefined ? [] : [`${oneLine(name)}: ${JSON.stringify(value)}`],
    ),
  ];
}

function readCommand(params: Members): Question | undefined {
  const { kind = 'command', command, cwd, networkApprovalContext: network, availableDecisions: offered } = params;
  if (kind !== 'command' && kind !== 'writeStdin') return undefined;
  const text = typeof command === 'string' && command !== '' ? command : undefined;
  const host = isRecord(network) && typeof network.host === 'string' ? network : undefined;
  if (isRecord(network) !== (host !== undefined) || (!text && !host)) return undefined;
  const details = [
    ...findMore(params),
    ...findLastingDenials(offered).map((name) => `Codex’s terminal can also deny ${oneLine(name)} for good.`),
  ];
  const place = typeof cwd === 'string' ? [`# in ${oneLine(cwd)}`] : [];
  if (!host) {
    const subject: Subject = { kind: 'command', text: [text, ...place].join('\n') };
    const isInput = kind === 'writeStdin'; // to a terminal that runs already: the text names it
    const title = isInput ? 'Send input to a running terminal' : toTitle('Bash', { command: unwrap(text ?? '') });
    return approval({ title, subject, details }, toChoices(offered, 'exactly this'));
  }
  const name = String(host.host);
  const lines = Object.entries(host).map(([key, value]) => `${oneLine(key)}: ${oneLine(String(value))}`);
  const subject: Subject = { kind: 'text', text: [...lines, ...(text ? ['', text] : []), ...place].join('\n') };
  const label = ruleWords`every connection to ${quoteName(name)}`;
  return approval(
    { title: `Connect to ${oneLine(name)}`, subject, details },
    toChoices(offered, label === undefined ? undefined : { label }),
  );
}

/** The command that a shell is given, for the title alone. */
function unwrap(command: string): string {
  return /^\/?[\w/.-]*sh -l?c '([^']+)'$/.exec(command)?.[1] ?? command;
}

/** Without its changes nobody can allow a change of files (ACP5). */
function readFileChange(params: Members, changes: readonly Change[] | undefined): Question | undefined {
  const { grantRoot } = params;
  const root = typeof grantRoot === 'string' ? [`Codex asks to write anywhere below ${oneLine(grantRoot)}.`] : [];
  const details = [...findMore(params), ...root];
  const choices = toChangeChoices();
  if (changes) return approval({ title: titleOfChanges(changes), subject: showChanges(changes), details }, choices);
  const subject: Subject = { kind: 'text', text: 'What would change is not known here.' };
  const unknown = [...details, 'It can be allowed in Codex’s terminal, which shows the change.'];
  const noes = choices.filter(({ means }) => means === 'decline' || means === 'cancel');
  return approval({ title: 'Change files', subject, details: unknown }, noes);
}

function readPermissions(params: Members): Question | undefined {
  const { permissions, cwd } = params;
  if (!isRecord(permissions)) return undefined;
  const details = [...findMore(params), ...(typeof cwd === 'string' ? [`Folder: ${oneLine(cwd)}`] : [])];
  const choices = toPermissionChoices(permissions as Record<string, Json>);
  return approval({ title: 'Get more permissions', subject: showPermissions(permissions), details }, choices);
}

/** Undefined for what people cannot be shown whole. */
function approval(shownCard: Omit<Card, 'choices'>, answers: readonly Answering[]): Question | undefined {
  const texts = [shownCard.subject.text, shownCard.details.join('\n\n')];
  if (texts.some(({ length }) => length > maxShown)) return undefined;
  const choices = answers.map(({ result: _, ...choice }) => choice);
  const title = shownCard.title.slice(0, 300);
  return {
    asking: { kind: 'approval', card: { ...shownCard, title, choices } },
    read: (answer) => answers.find(({ id }) => isRecord(answer) && id === answer.choice)?.result,
  };
}

function readUserInput(params: Members): Question | undefined {
  const { data: questions } = userQuestionsSchema.safeParse(params.questions);
  if (!questions || new Set(questions.map(({ id }) => id)).size < questions.length) return undefined;
  const answerSchema = z.strictObject(
    Object.fromEntries(questions.map(({ id }) => [id, z.object({ answers: z.array(z.string()).min(1) })])),
  );
  return {
    asking: { kind: 'questions', questions },
    read: (answer) => z.strictObject({ answers: answerSchema }).safeParse(answer).data,
  };
}

const elicited = z.discriminatedUnion('action', [
  z.object({ action: z.literal('accept'), content: z.record(z.string(), z.unknown()).optional() }),
  z.object({ action: z.literal('decline') }),
]);

function readWish(params: Members): Question | undefined {
  const { mode, serverName, message, _meta: meta } = params;
  if (typeof serverName !== 'string' || typeof message !== 'string') return undefined;
  if (mode === 'form' && isEmpty(params.requestedSchema)) return readConsent(serverName, message, meta);
  if (!isShowable(params) || (mode === 'url' && !URL.canParse(String(params.url)))) return undefined;
  return {
    asking: { kind: 'elicitation', params },
    read(answer) {
      const { data } = elicited.safeParse(answer);
      return data && { content: null, _meta: null, ...data };
    },
  };
}

/**
 * A form without fields asks for consent: so Codex asks for calls of MCP servers' tools, whose arguments are in `_meta`, and names
 * there for how long a consent may last.
 */
function readConsent(server: string, message: string, meta: unknown): Question | undefined {
  const subject: Subject = isRecord(meta)
    ? { kind: 'json', text: JSON.stringify(meta, null, 2) }
    : { kind: 'text', text: message };
  const answer = (action: string, content: object | null, more: object | null = null) => ({
    action,
    content,
    _meta: more,
  });
  return approval({ title: oneLine(message), subject, details: [`MCP server: ${oneLine(server)}`] }, [
    { id: 'accept', means: 'once', result: answer('accept', {}) },
    ...findLasting(server, meta).map(([scope, label]) => {
      return { id: scope, means: scope, label, result: answer('accept', {}, { persist: scope }) };
    }),
    { id: 'decline', means: 'decline', result: answer('decline', null) },
    { id: 'cancel', means: 'cancel', result: answer('cancel', null) },
  ]);
}

/** The consents to later calls of the same tool that Codex offers, in exact words. */
function findLasting(server: string, meta: unknown): ['session' | 'always', string][] {
  const { codex_approval_kind: kind, persist, tool_name: tool } = isRecord(meta) ? meta : {};
  const offered: unknown[] = kind === 'mcp_tool_call' && Array.isArray(persist) ? persist : [];
  const what = ruleWords`every call of the tool ${quoteName(String(tool))} of the MCP server ${quoteName(server)}`;
  if (what === undefined || typeof tool !== 'string') return [];
  return [
    ...(offered.includes('session') ? [['session', what] satisfies ['session', string]] : []),
    ...(offered.includes('always')
      ? [['always', `${what}, kept in Codex’s own settings`] satisfies ['always', string]]
      : []),
  ];
}

function isEmpty(schema: unknown): boolean {
  return isRecord(schema) && isRecord(schema.properties) && Object.keys(schema.properties).length === 0;
}

function isShowable(params: unknown): boolean {
  try {
    readElicitation(params);
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
