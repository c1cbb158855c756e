import {
  describeClosing,
  describeResponse,
  describeValue,
  describeVotes,
  fenceCode,
  headingOf,
  type InteractionRequest,
  isEmptyValue,
  labelOf,
  nameOf,
  type Payload,
  readableSubject,
  showHidden,
  wordsOf,
} from '@parleyhq/core';

/** The line that names a prompt. */
export function nameAsked(request: InteractionRequest): string {
  return showHidden(headingOf(request));
}

/** Returns everything that a person needs to know before they answer. */
export function describeAsked(request: InteractionRequest): string {
  const { title, prompt, url, risk, source, error, fieldErrors = {}, expiresAt } = request;
  const subject = readableSubject(request);
  const parts = [
    nameAsked(request),
    title === undefined ? undefined : prompt,
    subject && (subject.kind === 'text' || subject.kind === 'markdown' ? subject.text : fenceCode(subject.text)),
    url,
    error,
    ...Object.entries(fieldErrors).map(([id, fault]) => `${id}: ${fault}`),
    source.kind === 'tool' ? undefined : `Asked by: ${source.name}`,
    risk && `Risk: ${risk}`,
    expiresAt && `Open until ${expiresAt}`,
  ];
  return showHidden(parts.filter((part) => part !== undefined).join('\n\n'));
}

/** Says who answered what, with the values that the log has. */
export function describeAnswer(request: InteractionRequest, response: Payload<'interaction_response'>): string {
  const { by, input = {} } = response;
  const who = by.label === undefined ? nameOf(by) : `${nameOf(by)} (${by.label})`;
  const values = (request.inputSchema?.fields ?? [])
    .filter(({ id }) => !isEmptyValue(input[id]))
    .map((field) => `${labelOf(field)}: ${describeValue(field, input[field.id])}`);
  const lines = [`${describeResponse(request, response)}, by ${who}`, ...values, wordsOf(response) ?? ''];
  return `${nameAsked(request)}\n${showHidden(lines.join('\n').trimEnd())}`;
}

/** Describes a vote that does not decide yet (TEAM3). */
export function describeVote(
  { action, by, votes }: Payload<'interaction_vote'>,
  request: InteractionRequest | undefined,
): string {
  const count = request ? `: ${describeVotes(request, votes)}` : '';
  return `${nameOf(by)} voted ${action === 'approve' ? 'for' : 'against'} it${count}`;
}

export function describeClosed(request: InteractionRequest, { reason, note }: Payload<'interaction_closed'>): string {
  const words = note === undefined ? describeClosing(reason) : `${describeClosing(reason)}: ${showHidden(note)}`;
  return `${nameAsked(request)}\n${words}`;
}

/** What somebody reads who may see a prompt, but not answer it. */
export function describeOthers(request: InteractionRequest, url: string): string {
  return `${nameAsked(request)}\nOther people are asked: ${url}`;
}
