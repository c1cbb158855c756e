import { type Answer, type InteractionRequest, maxReasonLength, needsReason } from '@parleyhq/core';
import { html, nothing, type TemplateResult } from 'lit';
import { isComposing } from '../browser/focus.ts';

/** Returns an error message for the reason of an answer; empty if it is valid. Some answers need a reason (TEAM5). */
export function findReasonFault(
  request: Pick<InteractionRequest, 'reasonRequired'>,
  { action, reason = '' }: Answer,
): string {
  if (reason.length > maxReasonLength) return `Must have at most ${maxReasonLength} characters.`;
  return needsReason(request, action) && reason.trim() === '' ? 'Please give a reason.' : '';
}

interface ReasonField {
  readonly text: string;
  /** Error of the reason in the last answer. */
  readonly fault: string;
  readonly isDisabled: boolean;
  readonly onInput: (text: string) => void;
  /** Called on Enter. A reason fits any answer, so Enter gives none, but leads to Deny. */
  readonly onLeave: () => void;
}

/** Renders the line for a reason; the label says which answers need one. */
export function renderReason(
  { reasonRequired = [], wordsOnlyWithDenial }: InteractionRequest,
  { text, fault, isDisabled, onInput, onLeave }: ReasonField,
): TemplateResult {
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || isComposing(event)) return;
    event.preventDefault();
    onLeave();
  };
  return html`<div class="field">
    <label for="reason">Reason (the agent reads it${wordsOnlyWithDenial ? ' only if you deny' : ''}${describeNeed(reasonRequired)})</label>
    <input
      id="reason"
      dir="auto"
      autocomplete="off"
      autocapitalize="sentences"
      enterkeyhint="next"
      aria-invalid=${fault ? 'true' : nothing}
      aria-describedby=${fault ? 'reason-error' : nothing}
      .value=${text}
      ?disabled=${isDisabled}
      @keydown=${press}
      @input=${(event: InputEvent) => onInput((event.target as HTMLInputElement).value)}
    />
    ${fault ? html`<p class="error" id="reason-error">${fault}</p>` : nothing}
  </div>`;
}

function describeNeed(reasonRequired: readonly string[]): string {
  const isForYes = reasonRequired.includes('approve');
  const isForNo = reasonRequired.includes('deny');
  if (isForYes && isForNo) return '; needed';
  if (isForYes) return '; needed to allow';
  return isForNo ? '; needed to deny' : '';
}
