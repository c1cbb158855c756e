import { type Answer, type InteractionRequest, needsReason } from '@parleyhq/core';
import { html, nothing, type TemplateResult } from 'lit';

/** Whether an answer must say why, and does not (TEAM5). */
export function lacksReason(request: InteractionRequest, { action, reason }: Answer): boolean {
  return needsReason(request, action) && !reason?.trim();
}

interface ReasonField {
  readonly text: string;
  /** An answer was given without the reason that it needs. */
  readonly isUnexplained: boolean;
  readonly isDisabled: boolean;
  readonly onInput: (text: string) => void;
  /** Enter was pressed: a reason goes with any answer, so it gives none itself, but leads on to Deny. */
  readonly onLeave: () => void;
}

/** The line for a reason, with what needs one. */
export function renderReason(
  { reasonRequired = [] }: InteractionRequest,
  { text, isUnexplained, isDisabled, onInput, onLeave }: ReasonField,
): TemplateResult {
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.isComposing) return;
    event.preventDefault();
    onLeave();
  };
  return html`<div class="field">
    <label for="reason">Reason (the agent reads it${describeNeed(reasonRequired)})</label>
    <input
      id="reason"
      dir="auto"
      maxlength="10000"
      autocomplete="off"
      autocapitalize="sentences"
      enterkeyhint="next"
      aria-invalid=${isUnexplained ? 'true' : nothing}
      aria-describedby=${isUnexplained ? 'reason-error' : nothing}
      .value=${text}
      ?disabled=${isDisabled}
      @keydown=${press}
      @input=${(event: InputEvent) => onInput((event.target as HTMLInputElement).value)}
    />
    ${isUnexplained ? html`<p class="error" id="reason-error">Say why: this answer needs a reason.</p>` : nothing}
  </div>`;
}

function describeNeed(reasonRequired: readonly string[]): string {
  const isForYes = reasonRequired.includes('approve');
  const isForNo = reasonRequired.includes('deny');
  if (isForYes && isForNo) return '; needed';
  if (isForYes) return '; needed to allow';
  return isForNo ? '; needed to deny' : '';
}
