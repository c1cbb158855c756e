import { type FieldErrors, type FormSchema, labelOf, showHidden } from '@parleyhq/core';
import { html, nothing, type TemplateResult } from 'lit';
import { said } from '../untrusted-text.ts';

/** Where in a stepper one is; `step` counts from 0. */
export function renderProgress(step: number, count: number): TemplateResult {
  return html`<div class="progress">
    <span>Question ${step + 1} of ${count}</span>
    <ol aria-hidden="true">
      ${Array.from({ length: count }, (_, n) => html`<li class=${n <= step ? 'done' : ''}></li>`)}
    </ol>
  </div>`;
}

/** What is wrong, on top: the tool's own words, and each fault with the way to its field. */
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
    <strong>Please look at this again.</strong>
    ${error ? html`<p class="said">${showHidden(error)}</p>` : nothing}
    ${others.map(([, fault]) => html`<p class="said">${showHidden(fault)}</p>`)}
    <ul>
      ${faulty.map(
        (field) => html`<li>
          <button type="button" @click=${() => onGo(field.id)}>${said(labelOf(field))}</button>:
          ${said(faults[field.id] ?? '')}
        </li>`,
      )}
    </ul>
  </div>`;
}
