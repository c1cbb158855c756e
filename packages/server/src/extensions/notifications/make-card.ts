import {
  type Card,
  type CardAction,
  type CommentSummary,
  cutText,
  defaultPrompt,
  describeValue,
  type Field,
  type InteractionRequest,
  labelOf,
  type Notification,
  needsReason,
  needsSeveral,
  readableSubject,
  showHidden,
  titleOf,
} from '@parleyhq/core';
import type { CardCode } from './card-ticket.ts';

/** In characters: the longest subject that a message shows, and the longest title and prompt. */
const longestSubject = 2500;
const longestTitle = 200;
const longestPrompt = 800;
const longestName = 60;
/** Title, prompt and subject together: they are in one message, and the services cut longer ones. */
const longestTexts = 3300;
/** The longest initial value that an input of a chat takes. */
const longestInitial = 3000;
/** The longest label that a button shows in full. */
const longestButton = 60;

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
  const { risk, expiresAt } = request;
  const obstacle = findObstacle(request);
  const isOpen = state === 'open';
  const isShown = request.visibility === undefined;
  const note = obstacle ?? (isPending ? 'Whoever asked did not wait. You can still answer.' : undefined);
  return {
    state,
    kind: request.interactionType,
    session: cutText(showHidden(sessionTitle), longestTitle),
    ...(isShown && textsOf(request)),
    ...(risk !== undefined && { risk }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(isOpen && note !== undefined && { note }),
    ...(comments && isShown && { comments: showComments(comments) }),
    ...(outcome !== undefined && { outcome }),
    actions: isOpen && obstacle === undefined ? listActions(request, ticketFor) : [],
    ...(obstacle === undefined && formOf(request)),
    ticket: ticketFor('k'),
    url,
  };
}

/** Returns the card of a prompt of which nothing may be shown any more, or nothing is left. */
export function makeLostCard(
  { kind, sessionTitle, url }: Pick<Notification, 'kind' | 'sessionTitle' | 'url'>,
  outcome: string,
): Card {
  const session = cutText(showHidden(sessionTitle), longestTitle);
  return { state: 'settled', kind, session, outcome, actions: [], ticket: '', url };
}

/** Returns what a message shows of the content of a prompt. */
function textsOf(request: InteractionRequest): Pick<Card, 'tool' | 'title' | 'prompt' | 'subject'> {
  const prompt = promptOf(request);
  const subject = readableSubject(request);
  const isCode = subject?.kind !== 'text' && subject?.kind !== 'markdown';
  return {
    tool: cutText(showHidden(request.toolName), longestTitle),
    title: cutText(showHidden(nameOf(request)), longestTitle),
    ...(prompt !== undefined && { prompt: cutText(showHidden(prompt), longestPrompt) }),
    ...(subject && isWhole(subject.text) && { subject: { kind: subject.kind, text: subject.text, isCode } }),
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
  const { interactionType, risk, stepUp, visibility, approvalScopes: scopes = ['once'] } = request;
  if (visibility !== undefined) return 'Only some people may see this: open it to read and answer it.';
  if (interactionType === 'url') return 'It is about an address: open it to read and answer it.';
  if (stepUp) return 'It needs your passkey: open it to answer.';
  if (risk === 'high') return 'High risk: open it to answer.';
  if (needsSeveral(request)) return 'Several people decide: open it to answer.';
  if (isTooLong(request)) return 'It is too long for a message: open it to read and answer it.';
  if (listTexts(request).some((text) => !isPlain(text)))
    return 'It has characters that a message would not show: open it to read and answer it.';
  if (interactionType === 'input')
    return isShort(request) ? undefined : 'Its form does not fit here: open it to answer.';
  if (request.inputSchema || request.view) return 'It has more to read than fits here: open it to answer.';
  return scopes.includes('once') ? undefined : 'It cannot be allowed just once: open it to answer.';
}

function isTooLong(request: InteractionRequest): boolean {
  const title = nameOf(request).length;
  const prompt = promptOf(request)?.length ?? 0;
  const subject = readableSubject(request)?.text.length ?? 0;
  const isEachShort = title <= longestTitle && prompt <= longestPrompt && subject <= longestSubject;
  return !isEachShort || title + prompt + subject > longestTexts;
}

/** Whether a form can be answered in a chat: few plain fields, without files and secrets. */
function isShort(request: InteractionRequest): boolean {
  const fields = request.inputSchema?.fields ?? [];
  const isSimple = !request.view && !request.actions?.length && fields.length > 0 && fields.length <= mostFields;
  return isSimple && fields.every((field) => isPlainField(field, initialOf(request, field)));
}

/** @param initial - its initial value, for people: one that does not fit would be lost when the form is sent */
function isPlainField(field: Field, initial: string): boolean {
  const { type, description = '', options = [], when } = field;
  const isFixed = type !== 'secret' && type !== 'file' && !when && options.length <= mostOptions;
  const isShown = options.every(({ preview }) => preview === undefined);
  const fits = labelOf(field).length + description.length <= longestPrompt && initial.length <= longestInitial;
  return isFixed && isShown && fits;
}

function nameOf(request: InteractionRequest): string {
  const title = titleOf(request);
  return title?.trim() ? title : defaultPrompt(request);
}

/**
 * Returns the prompt, followed by what a choice asks and by what its options mean, if the form says more of them than their buttons
 * show.
 */
function promptOf(request: InteractionRequest): string | undefined {
  const { prompt, inputSchema } = request;
  const options = inputSchema?.fields.flatMap((field) => field.options ?? []) ?? [];
  const meanings = options.flatMap(({ label, description }) => {
    if (description) return [`${label}: ${description}`];
    return label.length > longestButton ? [label] : [];
  });
  const buttons = [inputSchema?.submitLabel, inputSchema?.cancelLabel].filter(
    (label) => label !== undefined && label.length > longestButton,
  );
  const lines = [prompt, ...questionOf(request), ...meanings, ...buttons].filter(
    (line) => line !== undefined && line !== '',
  );
  return lines.length === 0 ? prompt : lines.join('\n');
}

/** Returns what a choice asks: its label and description, unless the prompt says the same. */
function questionOf(request: InteractionRequest): readonly (string | undefined)[] {
  const [field] = request.inputSchema?.fields ?? [];
  if (!field || !isChoice(request)) return [];
  const { label = field.header, description } = field;
  const known = [request.title, request.prompt];
  const isAlone = known.every((text) => !text?.trim()); // then even the id says more than nothing
  const question = isAlone ? labelOf(field) : label;
  return [question, description].filter((text) => !known.includes(text));
}

/** Returns the initial value of a field as people read it. */
function initialOf({ initialValues }: InteractionRequest, field: Field): string {
  return describeValue(field, initialValues?.[field.id] ?? field.defaultValue);
}

/** Lists all texts that a message or its form shows. */
function listTexts(request: InteractionRequest): readonly string[] {
  const { fields = [], submitLabel = '', cancelLabel = '' } = request.inputSchema ?? {};
  const ofFields = fields.flatMap((field) => {
    const { description = '', placeholder = '', options = [] } = field;
    return [labelOf(field), description, placeholder, initialOf(request, field), ...options.map(({ label }) => label)];
  });
  const subject = readableSubject(request)?.text ?? '';
  return [request.toolName, nameOf(request), promptOf(request) ?? '', subject, submitLabel, cancelLabel, ...ofFields];
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
  return { count, by: cutText(showHidden(by), longestName), text: cutText(showHidden(text), longestTitle) };
}

/** Whether a message shows a text completely, as it is. */
function isWhole(text: string): boolean {
  return text.length <= longestSubject && isPlain(text);
}

const isPlain = (text: string): boolean => showHidden(text) === text.replace(/\r\n/g, '\n');
