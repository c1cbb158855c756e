import { type InteractionItem, type InteractionRequest, type Items, readableSubject, showHidden } from '@parleyhq/core';
import { html, nothing, type TemplateResult } from 'lit';
import type { Self } from '../ui/actor.ts';
import { renderAddress } from './address.ts';
import type { ApprovalActions } from './approval-actions.ts';
import { renderReviewed } from './reviewed.ts';
import type { SubjectBlock } from './subject.ts';
import './subject.ts';
import { headingOf } from './words.ts';

/** Renders everything that a person is asked about: the question, and exactly what it concerns. */
export function renderAsked(request: InteractionRequest): TemplateResult {
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
    ${url === undefined ? nothing : html`<div>${renderAddress(url)}<i class="end"></i></div>`} ${renderReviewed(request, false)}`;
}

/** Whoever looks at a prompt, with what is loaded of its session. */
type Reader = Self & { readonly items?: () => Items | undefined };

/** Renders what changed since the subject was denied; its code is loaded after the card (REV3). */
export function renderSinceDenied(current: InteractionItem, viewer: Reader): TemplateResult | typeof nothing {
  if (!viewer.items || !current.request?.payload.subject) return nothing;
  void import('./since-denied.ts').catch(() => undefined);
  return html`<parley-since-denied .current=${current} .items=${viewer.items()} .self=${viewer}></parley-since-denied>`;
}

/** Returns the elements that mark the end of each part; empty until all parts are rendered (WEB7). */
export function findEnds(root: ParentNode): readonly Element[] {
  const subject = root.querySelector<SubjectBlock>('parley-subject');
  if (subject && !subject.end) return []; // not rendered yet
  const end = root.querySelector<ApprovalActions>('parley-approval[commenting]')?.endOfLines ?? subject?.end;
  return [...root.querySelectorAll('.end'), ...(end ? [end] : [])];
}
