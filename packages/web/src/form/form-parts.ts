import { type FieldErrors, type FormSchema, labelOf, showHidden } from '@parleyhq/core';
import { html, nothing, type TemplateResult } from 'lit';
import { renderUntrusted } from '../ui/untrusted-text.ts';

/** The position in a stepper; `step` counts from 0. */
export function renderProgress(step: number, count: number): TemplateResult {
  return html`<div class="progress">
    <span>Question ${step + 1} of ${count}</span>
    <ol aria-hidden="true">
      ${Array.from({ length: count }, (_, n) => html`<li class=${n <= step ? 'done' : ''}></li>`)}
    </ol>
  </div>`;
}

/** The errors at the top of a form: the tool's message, and each field's error with a button that leads to the field. */
export function renderSummary(
  form: FormSchema,
  faults: FieldErrors,
  error: string | undefined,
  onGo: (fieldId: string) => void,
): TemplateResult | typeof nothing {
  const faulty = form.fields.filter(({ id }) => faults[id] !== undefined);
  const others = Object.entries(faults).filter(([id]) => !faulty.some((field) => field.id === id));
  if (!error && faulty.length === 0 && others.length === 0) return nothing;
  return html`<div class="summary" role="alert">
    <strong>Please check your answers.</strong>
    ${error ? html`<p class="untrusted">${showHidden(error)}</p>` : nothing}
    ${others.map(([, fault]) => html`<p class="untrusted">${showHidden(fault)}</p>`)}
    <ul>
      ${faulty.map(
        (field) => html`<li>
          <button type="button" @click=${() => onGo(field.id)}>${renderUntrusted(labelOf(field))}</button>:
          ${renderUntrusted(faults[field.id] ?? '')}
        </li>`,
      )}
    </ul>
  </div>`;
}
