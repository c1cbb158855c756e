import {
  type ApprovalScope,
  defaultPrompt,
  type InteractionRequest,
  nameSubject,
  showHidden,
  titleOf,
} from '@parleyhq/core';
import { findOnlyChoice } from '../form/only-choice.ts';

/** How long a rule applies, after the text of what it allows. */
export const ruleScopeWords = { session: 'in this session', always: 'always, in every session' } as const;

/** Returns the line that names a prompt. A form that is a single choice is named by its question. */
export function headingOf(request: InteractionRequest): string {
  const { prompt, inputSchema } = request;
  const question = inputSchema && findOnlyChoice(inputSchema)?.label;
  return showHidden(titleOf(request) ?? prompt ?? question ?? defaultPrompt(request));
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
    const subjects = alike.map(subjectOf);
    const own = subjectOf(request);
    const isOwn = own !== '' && subjects.filter((subject) => subject === own).length === 1;
    return isOwn ? own : `${alike.indexOf(request) + 1} of ${alike.length}`;
  });
}

/** How many characters of a name are useful in a list. */
const longestName = 120;

function subjectOf(request: InteractionRequest): string {
  return showHidden(nameSubject(request).slice(0, longestName));
}

/** Returns a line about the subject for a list; empty if the heading contains it. */
export function subjectLine(request: InteractionRequest): string {
  const subject = subjectOf(request);
  return headingOf(request).includes(subject) || /^[[{]$/.test(subject) ? '' : subject;
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
