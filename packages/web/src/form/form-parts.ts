import {
  describeValue,
  type Field,
  type FieldErrors,
  type FormSchema,
  type FormValues,
  type InteractionRequest,
  isEmptyValue,
  labelOf,
  showHidden,
} from '@parleyhq/core';
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { icons } from '../ui/icons.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import type { FormStep } from './form-values.ts';

/** Renders the questions of a stepper as tabs, followed by the review of all answers; `current` counts from 0. */
export function renderTabs(
  steps: readonly FormStep[],
  current: number,
  values: FormValues,
  onGo: (step: number) => void,
): TemplateResult {
  const renderTab = (n: number, name: unknown, isDone: boolean) => html`<li>
    <button type="button" class="tab" aria-current=${n === current ? 'step' : nothing} @click=${() => onGo(n)}>
      ${isDone ? icons.check : nothing}<span>${name}</span>${isDone ? html`<span class="visually-hidden"> (answered)</span>` : nothing}
    </button>
  </li>`;
  const place = current < steps.length ? `Question ${current + 1} of ${steps.length}` : 'Review your answers';
  return html`<nav class="tabs" aria-label="Questions">
      <ol>
        ${steps.map((step, n) => renderTab(n, renderUntrusted(nameStep(step)), isAnswered(step, values)))}
        ${renderTab(steps.length, 'Review', false)}
      </ol>
    </nav>
    <p class="visually-hidden" role="status">${place}</p>`;
}

function nameStep({ title, fields: [first] }: FormStep): string {
  return title ?? first?.header ?? (first ? labelOf(first) : '');
}

const isAnswered = ({ fields: [first] }: FormStep, values: FormValues): boolean =>
  first !== undefined && !isEmptyValue(values[first.id]);

/** Renders the answers of a stepper, each with a button that leads back to its question. */
export function renderReview(
  steps: readonly FormStep[],
  values: FormValues,
  onGo: (step: number) => void,
): TemplateResult {
  return html`<dl class="review">
    ${steps.map((step, n) =>
      step.fields
        .filter(({ id, required }, at) => at === 0 || required || !isEmptyValue(values[id]))
        .map(
          (field) => html`<div>
            <dt>${renderUntrusted(labelOf(field))}</dt>
            <dd>${isEmptyValue(values[field.id]) ? html`<span class="about">Not answered</span>` : renderUntrusted(describeValue(field, values[field.id]))}</dd>
            <dd><button type="button" class="plain" aria-label="Change: ${showHidden(labelOf(field))}" @click=${() => onGo(n)}>Change</button></dd>
          </div>`,
        ),
    )}
  </dl>`;
}

/**
 * Renders the errors at the top of a form: the tool's message, and each field's error with a button that leads to the field. If
 * only one field is `shown`, its error stands right below it, and the summary is for screen readers only.
 */
export function renderSummary(
  form: FormSchema,
  shown: readonly Field[],
  faults: FieldErrors,
  { error: general, fieldErrors = {} }: InteractionRequest,
  onGo: (fieldId: string) => void,
): TemplateResult | typeof nothing {
  const error = general !== undefined && Object.values(fieldErrors).includes(general) ? undefined : general; // its field shows it
  const faulty = form.fields.filter(({ id }) => faults[id] !== undefined);
  const others = Object.entries(faults).filter(([id]) => !faulty.some((field) => field.id === id));
  if (!error && faulty.length === 0 && others.length === 0) return nothing;
  const [only, ...more] = shown;
  const fault = only && more.length === 0 ? faults[only.id] : undefined;
  if (only && fault !== undefined && faulty.length + others.length === 1 && !error)
    return html`<div class="visually-hidden" role="alert"><p class="untrusted">${showHidden(`${labelOf(only)}: ${fault}`)}</p></div>`;
  return html`<div class="summary" role="alert">
    <strong>Please check your answers.</strong>
    ${error ? html`<p class="untrusted">${showHidden(error)}</p>` : nothing}
    ${others.map(([, fault]) => html`<p class="untrusted">${showHidden(fault)}</p>`)}
    <ul>
      ${repeat(
        faulty,
        ({ id }) => id,
        (field) => html`<li>
          <button type="button" @click=${() => onGo(field.id)}>${renderUntrusted(labelOf(field))}</button>:
          ${renderUntrusted(faults[field.id] ?? '')}
        </li>`,
      )}
    </ul>
  </div>`;
}

/** Renders the fields of a step, below its title if it has one. */
export function renderSection({ id, title, description, isOptional }: FormStep, fields: unknown): TemplateResult {
  if (!title && !description) return html`<div class="section">${fields}</div>`;
  return html`<section class="section" aria-labelledby="section-${id}">
    <header>
      <h3 id="section-${id}">${renderUntrusted(title ?? '')}${isOptional ? ' (optional)' : ''}</h3>
      ${description ? html`<p class="about untrusted">${showHidden(description)}</p>` : nothing}
    </header>
    ${fields}
  </section>`;
}
