import { type InteractionItem, type InteractionRequest, readableSubject, showHidden } from '@parleyhq/core';
import { html, nothing, type TemplateResult } from 'lit';
import { findEmbedding, homeOf } from '../browser/embedding.ts';
import { renderAddress } from './address.ts';
import type { ApprovalActions } from './approval-actions.ts';
import { renderReviewed } from './reviewed.ts';
import type { SubjectBlock } from './subject.ts';
import './subject.ts';
import type { Viewer } from './viewer.ts';
import { headingOf } from './words.ts';

/** Whether a prompt can be answered here with more than a no. If it demands a passkey, only our own page can ask for one. */
export function isSignable(card: Element, { stepUp }: InteractionRequest): boolean {
  return !stepUp || !findEmbedding(card);
}

/** Says that an answer takes a passkey and, if it cannot be given here, where it can. */
function renderPasskeyNote(request: InteractionRequest, card: AskingCard | undefined) {
  if (!request.stepUp) return nothing;
  if (!card || isSignable(card, request)) return html`<p class="note">Needs your passkey</p>`;
  const place = [card.viewer.sessionId, request.interactionId].map(encodeURIComponent).join('/');
  return html`<p class="note">
    Needs your passkey: <a href="${homeOf(card)}/s/${place}" target="_blank" rel="noopener">answer it in Parley</a>
  </p>`;
}

/** The card that asks. */
interface AskingCard extends Element {
  readonly viewer: Viewer;
}

/** Renders everything that a person is asked about: the question, and exactly what it concerns. */
export function renderAsked(request: InteractionRequest, card?: AskingCard): TemplateResult {
  const { title, prompt, url, view, interactionType } = request;
  const subject = readableSubject(request);
  if (view) void import('../view/view-frame.ts'); // most prompts have none
  return html`<div class="asked">
      <h2 class="untrusted" id="heading" tabindex="-1">${headingOf(request)}</h2>
      ${title && prompt ? html`<p class="prompt untrusted">${showHidden(prompt)}</p>` : nothing}
      <i class="end"></i>
    </div>
    ${subject ? html`<parley-subject .subject=${subject}></parley-subject>` : nothing}
    ${view && interactionType === 'approval' ? html`<div><parley-view .view=${view}></parley-view><i class="end"></i></div>` : nothing}
    ${url === undefined ? nothing : html`<div>${renderAddress(url)}<i class="end"></i></div>`} ${renderReviewed(request, false)} ${renderPasskeyNote(request, card)}`;
}

/**
 * Renders what earlier answers say about an open prompt: see `PromptHistory`, whose code is loaded after the card.
 * @param isUnread - whether some of the prompt was not in view yet
 */
export function renderHistory(current: InteractionItem, viewer: Viewer, isUnread: boolean) {
  const { interactionType, subject } = current.request?.payload ?? {};
  if (!viewer.items || (interactionType !== 'approval' && !subject)) return nothing; // it has nothing to say about a form
  void import('./history.ts').catch(() => undefined);
  return html`<parley-history .current=${current} .items=${viewer.items()} .viewer=${viewer} ?isUnread=${isUnread}></parley-history>`;
}

/** Returns the elements that mark the end of each part; empty until all parts are rendered (WEB7). */
export function findEnds(root: ParentNode): readonly Element[] {
  const subject = root.querySelector<SubjectBlock>('parley-subject');
  if (subject && !subject.end) return []; // not rendered yet
  const end = root.querySelector<ApprovalActions>('parley-approval[commenting]')?.endOfLines ?? subject?.end;
  return [...root.querySelectorAll('.end'), ...(end ? [end] : [])];
}
