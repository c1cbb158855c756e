import type { ApprovalScope, InteractionRequest } from '@parleyhq/core';
import { html } from 'lit';
import { describeLife, renderRule } from './grant-rule.ts';
import { ruleScopeWords } from './words.ts';

/** Renders exactly what one scope would cover, next to its button (APR4). */
export function renderCovers(request: InteractionRequest, scope: ApprovalScope, isEdited: boolean) {
  const where = ruleScopeWords[scope === 'always' ? 'always' : 'session'];
  return request.grantKey === undefined
    ? html`<p class="covers">The same, ${where}.</p>`
    : html`<p class="covers">Allows ${describeLife(request, scope)}, ${where}: ${isEdited ? 'the arguments as edited here' : renderRule(request.grantKey, request.toolName)}.</p>`;
}
