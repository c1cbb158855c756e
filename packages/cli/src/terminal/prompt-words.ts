import {
  type Actor,
  type Answer,
  type CommentSummary,
  describeClosing,
  describeQuorum,
  describeReasons,
  describeResponse,
  describeReviewed,
  describeValue,
  describeVotes,
  type Field,
  findButton,
  findRule,
  headingOf,
  type InteractionRequest,
  type InteractionResponse,
  isEmptyValue,
  labelOf,
  nameOf,
  needsVotes,
  type Payload,
  readableSubject,
  type Tally,
  wordsOf,
} from '@parleyhq/core';
import { formatMoment } from '@parleyhq/core/transcript';
import type { StyledText } from './styled-text.ts';

/** Says what was wrong with the last answer, if it is asked again. */
export function describeErrors({ error, fieldErrors = {}, inputSchema }: InteractionRequest): readonly string[] {
  const faults = Object.entries(fieldErrors).map(([id, fault]) => `${nameField(inputSchema?.fields, id)}: ${fault}`);
  return error === undefined ? faults : [error, ...faults];
}

/** Describes everything that a person needs to know to answer. @param votes - votes so far */
export function describeRequest(request: InteractionRequest, votes?: Tally): StyledText {
  const { reasonRequired, wordsOnlyWithDenial, title, prompt, url, risk } = request;
  const { expiresAt, reviewed } = request;
  const risky = risk === undefined ? '' : ` (${risk} risk)`;
  const details = [
    title === undefined ? undefined : prompt,
    readableSubject(request)?.text,
    url,
    ...describeErrors(request),
    needsVotes(request)
      ? `Decided by ${describeQuorum(request)}${votes ? `; so far ${describeVotes(request, votes)}` : ''}.`
      : undefined,
    reviewed?.verdict === 'ask' ? describeReviewed(reviewed) : undefined, // a pass is shown only after the answer
    reasonRequired && `Must say why: ${describeReasons(reasonRequired)}.`,
    wordsOnlyWithDenial && 'Whoever asks reads a reason only if you deny.',
    expiresAt && describeDeadline(expiresAt),
  ].filter((detail) => detail !== undefined);
  return { tone: 'prompt', mark: '?', text: [`${headingOf(request)}${risky}`, ...details].join('\n') };
}

/** Describes the deadline. An open prompt may have passed it, because people get some more time after a restart (INT10). */
function describeDeadline(expiresAt: string, now = Date.now()): string {
  const moment = formatMoment(expiresAt);
  return isOver(expiresAt, now) ? `It expired at ${moment}, but is still open.` : `To be answered until ${moment}.`;
}

/** Whether a deadline has passed. @param now - in ms since 1970 */
export function isOver(expiresAt: string, now = Date.now()): boolean {
  return Date.parse(expiresAt) <= now;
}

/** Describes an answer, who gave it and from where. */
export function describeAnswer(response: InteractionResponse, request: InteractionRequest | undefined): StyledText {
  const { action, by, late, ruleId, button, input = {}, editedArgs } = response;
  const words = wordsOf(response);
  const chosen = request && (findRule(request, ruleId) ?? findButton(request, button));
  const count = response.votes && request ? ` (${describeVotes(request, response.votes)})` : '';
  const did = `${describeResponse(request, response)}${count}${late ? ', late' : ''}${chosen ? `: ${chosen.label}` : ''}`;
  const fields = request?.inputSchema?.fields ?? [];
  const values = fields
    .filter(({ id }) => !isEmptyValue(input[id]))
    .map((field) => `${labelOf(field)}: ${describeValue(field, input[field.id])}`);
  const more = [
    ...(words === undefined ? [] : [words]),
    ...values,
    ...(editedArgs === undefined ? [] : [`The arguments were changed: ${JSON.stringify(editedArgs)}`]),
  ];
  const isYes = action === 'approve' || action === 'submit';
  return { tone: isYes ? 'good' : 'bad', mark: '=', text: [`${did}, by ${describeActor(by)}`, ...more].join('\n') };
}

/** Describes a vote that does not decide yet, who gave it, and the count so far (TEAM3). */
export function describeVote(vote: Payload<'interaction_vote'>, request: InteractionRequest | undefined): StyledText {
  const { action, by, votes } = vote;
  const words = wordsOf(vote);
  const side = action === 'approve' ? 'for' : 'against';
  const count = request ? `: ${describeVotes(request, votes)}` : '';
  const more = words === undefined ? '' : `\n${words}`;
  return { tone: 'quiet', mark: '=', text: `${describeActor(by)} voted ${side} it${count}${more}` };
}

/** Describes a vote to the person who gave it, if it does not decide yet (TEAM3). */
export function describeOwnVote(request: InteractionRequest, { action }: Pick<Answer, 'action'>, votes: Tally): string {
  const vote = action === 'approve' ? 'approval' : 'denial';
  return `Your ${vote} is counted: ${describeVotes(request, votes)}. It is not decided yet.`;
}

/** Describes the last comment on a prompt on one line, in at most 80 characters of it (REV4). */
export function describeLastComment({ by, text }: Pick<CommentSummary, 'by' | 'text'>): string {
  const characters = [...text.replace(/\s+/g, ' ')];
  return `${by} says: ${characters.slice(0, 80).join('')}`;
}

/** Describes why a prompt ended without an answer. */
export function describeEnd({ reason, note, replacedBy }: Payload<'interaction_closed'>): StyledText {
  const next = replacedBy === undefined ? '' : '; it is asked again';
  const said = note === undefined ? '' : `\n${note}`;
  return { tone: 'quiet', mark: '=', text: `${describeClosing(reason)}${next}${said}` };
}

export function describeActor(actor: Actor): string {
  return actor.label === undefined ? nameOf(actor) : `${nameOf(actor)} (${actor.label})`;
}

function nameField(fields: readonly Field[] = [], id: string): string {
  const field = fields.find((candidate) => candidate.id === id);
  return field ? labelOf(field) : id;
}
