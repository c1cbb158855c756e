import {
  type InteractionItem,
  type InteractionRequest,
  mayAnswer,
  type Principal,
  requestOf,
  stateOf,
} from '@parleyhq/core';
import { html, nothing } from 'lit';
import { formatTime } from '../ui/time.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';

/** The person who sees the prompt, and whether prompts may be answered in this tab (INT15). */
interface Onlooker {
  readonly principal: Principal;
  readonly isInteractive: boolean;
}

/** Explains why a prompt cannot be answered here, or until when it can be. */
export function renderStateNote(item: InteractionItem, { principal, isInteractive }: Onlooker) {
  const request = requestOf(item);
  if (stateOf(item) === 'expired') return renderNote('Time is up. The tool is deciding what happens next …');
  if (request && !mayAnswer(principal, request)) return renderNote(explainOnlooker(principal, request));
  if (!isInteractive) return renderNote('Interactive mode disabled — enable to respond.');
  if (stateOf(item) === 'pending') return renderPending(item.pending?.payload.message);
  if (!request?.isUnwatched || request.expiresAt === undefined) return nothing;
  // The default timeout applies, and nobody who may answer is looking (NTF1).
  const until = formatTime(request.expiresAt);
  return renderNote(`It waits until ${until}: people who may answer are notified, even if they are not looking.`);
}

const renderNote = (words: unknown) => html`<p class="note">${words}</p>`;

function renderPending(message: string | undefined) {
  const said = message ? html` It says: “${renderUntrusted(message)}”` : nothing;
  return renderNote(html`The tool continued without an answer; you can still give one.${said}`);
}

/** Explains why this person sees the prompt but may not answer it. */
function explainOnlooker(principal: Principal, request: InteractionRequest) {
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
