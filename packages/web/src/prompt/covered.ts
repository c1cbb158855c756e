import type { ApprovalScope, InteractionRequest } from '@parleyhq/core';
import { html, nothing } from 'lit';
import { describeLife, renderRule } from './grant-rule.ts';
import { ruleScopeWords } from './words.ts';

/** Renders exactly what a consent beyond once would cover, if that is more than what is shown (APR4). */
export function renderCovered(request: InteractionRequest, scopes: readonly ApprovalScope[], isEdited: boolean) {
  if (request.grantKey === undefined) return nothing;
  return html`<p class="covered">An approval beyond once covers ${describe(request, scopes, isEdited)}.</p>`;
}

/** Renders what one scope would cover, below its button. */
export function renderCovers(request: InteractionRequest, scope: ApprovalScope, isEdited: boolean) {
  const where = ruleScopeWords[scope === 'always' ? 'always' : 'session'];
  return request.grantKey === undefined
    ? html`<p class="covers">The same, ${where}.</p>`
    : html`<p class="covers">Allows ${describe(request, [scope], isEdited)}, ${where}.</p>`;
}

function describe(request: InteractionRequest, scopes: readonly ApprovalScope[], isEdited: boolean) {
  const { grantKey = '', toolName } = request;
  const covered = isEdited ? 'the arguments as edited here' : renderRule(grantKey, toolName);
  return html`${covered}, ${describeLife(request, scopes)}`;
}
