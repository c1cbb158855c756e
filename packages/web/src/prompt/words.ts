import {
  type ApprovalScope,
  defaultPrompt,
  describeClosing,
  describeResponse,
  type InteractionRequest,
  type InteractionResponse,
  type Json,
  type LoadedPrompt,
  mayAnswer,
  nameOf,
  type Payload,
  type Principal,
  readableSubject,
  showHidden,
  templateName,
} from '@parleyhq/core';
import { html } from 'lit';
import { findOnlyChoice } from '../form/only-choice.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';

/** How long a rule applies, after the text of what it allows. */
export const ruleScopeWords = { session: 'in this session', always: 'always, in every session' } as const;

/** Returns the line that names a prompt. A form that is a single choice is named by its question. */
export function headingOf(request: InteractionRequest): string {
  const { title, prompt, inputSchema } = request;
  const question = inputSchema && findOnlyChoice(inputSchema)?.label;
  return showHidden(title ?? prompt ?? question ?? defaultPrompt(request));
}

/**
 * Returns texts that distinguish prompts with the same heading: what each is about, or else its position among them. In the order
 * of the prompts; empty for a prompt whose heading is unique.
 */
export function tellApart(requests: readonly InteractionRequest[]): readonly string[] {
  const headings = requests.map(headingOf);
  return requests.map((request, at) => {
    const alike = requests.filter((_, n) => headings[n] === headings[at]);
    if (alike.length < 2) return '';
    const subjects = alike.map(nameSubject);
    const own = nameSubject(request);
    const isOwn = own !== '' && subjects.filter((subject) => subject === own).length === 1;
    return isOwn ? own : `${alike.indexOf(request) + 1} of ${alike.length}`;
  });
}

/** How many characters of a name are useful in a list. */
const longestName = 120;

/** Returns the first line of what is asked about; for changes, the file. */
function nameSubject(request: InteractionRequest): string {
  const [subject, { url }] = [readableSubject(request), request];
  const lines = (subject?.text ?? url ?? '').split('\n');
  const file = subject?.kind === 'diff' ? lines.find((line) => line.startsWith('+++ '))?.slice(4) : undefined;
  const line = file ?? lines.find((one) => one.trim() !== '') ?? '';
  return showHidden(line.trim().slice(0, longestName));
}

export const scopeLabels: Record<ApprovalScope, string> = {
  once: 'Allow once',
  session: 'Allow for session',
  always: 'Always allow',
};

export const riskLabels = { low: 'Low risk', medium: 'Medium risk', high: 'High risk' } as const;

/** Returns the question with its risk and the number of the attempt, for screen readers. */
export function nameAsked(request: InteractionRequest): string {
  const { risk, attempt } = request;
  return [headingOf(request), risk && riskLabels[risk], attempt > 1 && `Attempt ${attempt}`].filter(Boolean).join(' ');
}

/** Describes in a few words why a prompt ended without an answer. */
export function describeEnding({ reason, replacedBy, note }: Payload<'interaction_closed'>): string {
  if (note !== undefined) return 'Withdrawn'; // the note says why
  return reason === 'timeout' && replacedBy !== undefined ? 'Timed out and asked again' : describeClosing(reason);
}

/** Describes an earlier attempt in a few words. */
export function describeStep(step: LoadedPrompt): string {
  const ending = step.response
    ? describeResponse(step.request.payload, step.response.payload)
    : step.closed
      ? describeEnding(step.closed.payload)
      : 'Asked again';
  return `Attempt ${step.request.payload.attempt}: ${ending}`;
}

/** Explains why this person sees the prompt but may not answer it. */
export function explainOnlooker(principal: Principal, request: InteractionRequest) {
  if (principal.role === 'viewer') return 'You can watch, but your role does not let you answer.';
  const { audience, requesters } = request;
  if (mayAnswer(principal, { audience: { ...audience, exclude: [] } }) && requesters)
    return 'You asked for this, so somebody else must answer it.';
  const { role: wanted, principals } = audience ?? {};
  if (principals)
    return html`Only ${principals.map((name, n) => [n > 0 ? ' or ' : '', renderUntrusted(name)])} can answer this.`;
  const isForOperators = wanted === 'operator' || audience?.roles?.includes('responder') === false;
  return isForOperators ? 'Only an operator can answer this.' : 'Only others can answer this.';
}

/** Fills in `summaryTemplate` as plain text: an unknown name is empty, a secret is dots (WEB1). */
export function fillTemplate(
  template: string,
  response: InteractionResponse,
  describe: (id: string, value: Json) => string,
): string {
  const { action, approvalScope = '', reason = '', by, input = {} } = response;
  const names: Record<string, string> = {
    action,
    scope: approvalScope,
    reason,
    by: by.label === undefined ? nameOf(by) : `${nameOf(by)} (${by.label})`,
  };
  return template.replace(templateName, (_, name: string) => {
    if (!name.startsWith('input.')) return Object.hasOwn(names, name) ? (names[name] ?? '') : '';
    const id = name.slice('input.'.length);
    const value = Object.hasOwn(input, id) ? input[id] : undefined;
    return value === undefined ? '' : describe(id, value);
  });
}
