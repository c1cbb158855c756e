import {
  defaultPrompt,
  describeClosing,
  describeResponse,
  describeVotes,
  fenceCode,
  type InteractionRequest,
  nameOf,
  type Payload,
  readableSubject,
  showHidden,
} from '@parleyhq/core';

/** The line that names a prompt. */
export function headingOf(request: InteractionRequest): string {
  return showHidden(request.title ?? request.prompt ?? defaultPrompt(request));
}

/** Returns everything that a person needs to know before they answer. */
export function describeAsked(request: InteractionRequest): string {
  const { title, prompt, url, risk, source, error, fieldErrors = {}, expiresAt } = request;
  const subject = readableSubject(request);
  const parts = [
    headingOf(request),
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

export function describeAnswer(request: InteractionRequest, response: Payload<'interaction_response'>): string {
  const { label } = response.by;
  const who = showHidden(label === undefined ? nameOf(response.by) : `${nameOf(response.by)} (${label})`);
  return `${headingOf(request)}\n${describeResponse(request, response)}, by ${who}`;
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
  return `${headingOf(request)}\n${words}`;
}

/** What somebody reads who may see a prompt, but not answer it. */
export function describeOthers(request: InteractionRequest, url: string): string {
  return `${headingOf(request)}\nOther people are asked: ${url}`;
}
