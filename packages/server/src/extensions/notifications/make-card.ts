import {
  type Card,
  type CardAction,
  type CommentSummary,
  type Field,
  type InteractionRequest,
  needsReason,
  needsSeveral,
  readableSubject,
  showHidden,
} from '@parleyhq/core';
import type { CardCode } from './card-ticket.ts';

/** In characters: the longest subject that a message shows, and the longest title and prompt. */
const longestSubject = 2500;
const longestTitle = 200;
const longestPrompt = 800;
const longestName = 60;

/** The most options of a choice, and the most fields of a form, that are answered in a chat. */
const mostOptions = 10;
const mostFields = 5;

/** A prompt, and what a message says about it besides. */
export interface CardContent {
  readonly request: InteractionRequest;
  readonly sessionTitle: string;
  readonly url: string;
  readonly state: Card['state'];
  readonly isPending?: boolean | undefined;
  readonly comments?: CommentSummary | undefined;
  readonly outcome?: string | undefined;
  readonly ticketFor: (code: CardCode) => string;
}

/** Returns what a message of a chat shows of a prompt, and the answers that it offers (CHAT3). */
export function makeCard(content: CardContent): Card {
  const { request, sessionTitle, url, state, isPending, comments, outcome, ticketFor } = content;
  const { title, risk, expiresAt, visibility } = request;
  const prompt = promptOf(request);
  const obstacle = findObstacle(request);
  const isOpen = state === 'open';
  const subject = readableSubject(request);
  const isShown = visibility === undefined;
  const note = obstacle ?? (isPending ? 'Whoever asked did not wait. You can still answer.' : undefined);
  return {
    state,
    kind: request.interactionType,
    session: cut(showHidden(sessionTitle), longestTitle),
    ...(isShown && title !== undefined && { title: cut(showHidden(title), longestTitle) }),
    ...(isShown && prompt !== undefined && { prompt: cut(showHidden(prompt), longestPrompt) }),
    ...(isShown &&
      subject &&
      isWhole(subject.text) && {
        subject: {
          kind: subject.kind,
          text: subject.text,
          isCode: subject.kind !== 'text' && subject.kind !== 'markdown',
        },
      }),
    ...(risk !== undefined && { risk }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(isOpen && note !== undefined && { note }),
    ...(comments && isShown && { comments: showComments(comments) }),
    ...(outcome !== undefined && { outcome }),
    actions: isOpen && obstacle === undefined ? listActions(request, ticketFor) : [],
    ...(isOpen && obstacle === undefined && formOf(request)),
    ticket: ticketFor('k'),
    url,
  };
}

/** Returns the value of an option's button. Undefined if the prompt has no such option. */
export function findOption(
  { inputSchema }: InteractionRequest,
  code: CardCode,
): Readonly<Record<string, string>> | undefined {
  const [field] = inputSchema?.fields ?? [];
  const option = field?.options?.[Number(code.slice(1))];
  return field && option && { [field.id]: option.value };
}

/** Returns why a prompt cannot be answered from a message, as a sentence. */
function findObstacle(request: InteractionRequest): string | undefined {
  const { interactionType, title = '', risk, visibility, approvalScopes: scopes = ['once'] } = request;
  const prompt = promptOf(request) ?? '';
  const subject = readableSubject(request);
  if (visibility !== undefined) return 'Only some people may see this: open it to read and answer it.';
  if (interactionType === 'url') return 'It is about an address: open it to read and answer it.';
  if (risk === 'high') return 'High risk: open it to answer.';
  if (needsSeveral(request)) return 'Several people decide: open it to answer.';
  if (title.length > longestTitle || prompt.length > longestPrompt || (subject?.text.length ?? 0) > longestSubject)
    return 'It is too long for a message: open it to read and answer it.';
  if ([title, prompt, subject?.text ?? '', ...labelsOf(request)].some((text) => !isPlain(text)))
    return 'It has characters that a message would not show: open it to read and answer it.';
  if (interactionType === 'input')
    return isShort(request) ? undefined : 'Its form does not fit here: open it to answer.';
  if (request.inputSchema || request.view) return 'It has more to read than fits here: open it to answer.';
  return scopes.includes('once') ? undefined : 'It cannot be allowed just once: open it to answer.';
}

/** Whether a form can be answered in a chat: few plain fields, without files and secrets. */
function isShort({ inputSchema, view, actions }: InteractionRequest): boolean {
  const fields = inputSchema?.fields ?? [];
  return !view && !actions?.length && fields.length > 0 && fields.length <= mostFields && fields.every(isPlainField);
}

function isPlainField({ type, options = [], when }: Field): boolean {
  const isShown = options.every(({ preview }) => preview === undefined);
  return type !== 'secret' && type !== 'file' && !when && isShown && options.length <= mostOptions;
}

/** Returns the prompt, followed by what the options mean if the form says more of them than their labels. */
function promptOf({ prompt, inputSchema }: InteractionRequest): string | undefined {
  const options = inputSchema?.fields.flatMap((field) => field.options ?? []) ?? [];
  const meanings = options.flatMap(({ label, description }) => (description ? [`${label}: ${description}`] : []));
  return meanings.length === 0 ? prompt : [prompt, ...meanings].filter(Boolean).join('\n');
}

function labelsOf({ inputSchema }: InteractionRequest): readonly string[] {
  const { fields = [], submitLabel = '', cancelLabel = '' } = inputSchema ?? {};
  const ofFields = fields.flatMap(({ label = '', options = [] }) => [label, ...options.map((option) => option.label)]);
  return [submitLabel, cancelLabel, ...ofFields];
}

/** Whether the form is one choice, which has a button for each option. */
function isChoice({ inputSchema }: InteractionRequest): boolean {
  const [field, ...others] = inputSchema?.fields ?? [];
  const isSelect = field?.type === 'select' || field?.type === 'radio';
  return isSelect && others.length === 0 && !field.other && (field.options?.length ?? 0) > 0;
}

function formOf({ inputSchema, initialValues }: InteractionRequest): Pick<Card, 'form'> | undefined {
  if (!inputSchema) return undefined;
  return { form: { fields: inputSchema.fields, ...(initialValues && { initialValues }) } };
}

function listActions(request: InteractionRequest, ticketFor: CardContent['ticketFor']): CardAction[] {
  const make = (action: CardAction['action'], label: string, code: CardCode): CardAction => ({
    ...{ action, label, ticket: ticketFor(code) },
    ...(needsReason(request, action) ? { reason: 'required' } : action === 'deny' && { reason: 'optional' }),
  });
  if (request.interactionType === 'approval') return [make('approve', 'Allow once', 'a'), make('deny', 'Deny', 'd')];
  const { submitLabel = 'Answer', cancelLabel = 'Cancel', fields = [] } = request.inputSchema ?? {};
  const cancel = make('cancel', cancelLabel, 'c');
  if (!isChoice(request)) return [{ ...make('submit', submitLabel, 's'), needsValues: true }, cancel];
  const options = fields[0]?.options ?? [];
  return [...options.map(({ label }, n) => make('submit', label, `s${n}`)), cancel];
}

function showComments({ count, by, text }: CommentSummary): NonNullable<Card['comments']> {
  return { count, by: cut(showHidden(by), longestName), text: cut(showHidden(text), longestTitle) };
}

/** Whether a message shows a text completely, as it is. */
function isWhole(text: string): boolean {
  return text.length <= longestSubject && isPlain(text);
}

const isPlain = (text: string): boolean => showHidden(text) === text.replace(/\r\n/g, '\n');

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…` : text;
}
