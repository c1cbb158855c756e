import { type Field, labelOf, showHidden } from '@parleyhq/core';
import { html, nothing, type TemplateResult } from 'lit';
import { revealHidden } from '../ui/revealed-text.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import { hasChips, renderOptions, renderSelect } from './choice-field.ts';
import type { FieldContext } from './field-context.ts';
import { renderCheckbox, renderInput, renderSecret, renderTextarea } from './text-field.ts';

/** Renders a control with its label, description and error. Groups of options are fieldsets. */
export function renderField(
  context: Omit<FieldContext, 'describedBy'>,
  secret: { isShown: boolean; onToggle: () => void },
): TemplateResult {
  const { field, id, error, isBare } = context;
  const about = field.description ? `${id}-about` : undefined;
  const fault = error ? `${id}-error` : undefined;
  const describedBy = [about, fault].filter(Boolean).join(' ') || undefined;
  const full: FieldContext = { ...context, describedBy };
  const words = html`${hasOwnHeader(field) ? html`<span class="chip untrusted">${showHidden(field.header ?? '')}</span>` : nothing}`;
  const name = html`${renderUntrusted(labelOf(field))}${
    field.required && !isBare ? html` <span class="required" aria-hidden="true">*</span>` : nothing
  }`;
  const notes = html`${about ? html`<p class="about untrusted" id=${about}>${showHidden(field.description ?? '')}</p>` : nothing}`;
  const trouble = error ? html`<p class="error" id="${id}-error">${renderUntrusted(error)}</p>` : nothing;
  if (hasChips(field)) {
    return html`<fieldset
      class="field"
      id=${id}
      role=${field.type === 'radio' ? 'radiogroup' : 'group'}
      aria-describedby=${describedBy ?? nothing}
      aria-invalid=${error && field.type === 'radio' ? 'true' : nothing}
      aria-required=${field.required && field.type === 'radio' ? 'true' : nothing}
    >
      <legend class=${isBare ? 'visually-hidden' : ''}>${words} ${name}</legend>
      ${notes} ${renderOptions(full)} ${trouble}
    </fieldset>`;
  }
  if (field.type === 'checkbox') {
    return html`<div class="field checkbox">
      ${renderCheckbox(full)}
      <div class="words">${words} <label for=${id}>${name}</label></div>
      ${notes} ${trouble}
    </div>`;
  }
  return html`<div class="field">
    ${words}
    <label class=${isBare ? 'visually-hidden' : ''} for=${id}>${name}</label>
    ${notes} ${renderControl(field, full, secret)}
    ${typeof context.value === 'string' && field.type !== 'secret' ? revealHidden(context.value) : nothing} ${trouble}
  </div>`;
}

function renderControl(field: Field, context: FieldContext, secret: { isShown: boolean; onToggle: () => void }) {
  switch (field.type) {
    case 'textarea':
      return renderTextarea(context);
    case 'select':
      return renderSelect(context);
    case 'secret':
      return renderSecret(context, secret.isShown, secret.onToggle);
    case 'file':
      void import('./file-field.ts').catch(() => undefined); // few forms need it; without it the field stays empty
      return html`<parley-file-field .context=${context}></parley-file-field>`;
    default:
      return context.isLined ? renderTextarea(context) : renderInput(context);
  }
}

/** Whether the header has words that the label does not have. */
function hasOwnHeader({ header = '', label = '' }: Field): boolean {
  const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const said = new Set(wordsOf(label));
  return label !== '' && header !== '' && !wordsOf(header).every((word) => said.has(word));
}
