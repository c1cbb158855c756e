import {
  describeValue,
  type FieldErrors,
  type FormSchema,
  type FormValues,
  type InteractionRequest,
  isEmptyValue,
  type Json,
  labelOf,
} from '@parleyhq/core';
import { html, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { FormInput } from '../browser/draft-store.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import { withoutSecrets } from './form-values.ts';
import { readProposal } from './proposal.ts';
import '../view/view-frame.ts';

/** What a form has that a view shows. */
export interface FormState {
  readonly form: FormSchema;
  /** As the controls hold it, and the answer that this is. */
  readonly input: FormInput;
  readonly values: FormValues;
  readonly faults: FieldErrors;
  readonly isDisabled: boolean;
}

/** How the view of a form stands, and what comes of it. */
interface ViewPart {
  readonly isShown: boolean;
  readonly hasFailed: boolean;
  readonly onPropose: (proposed: readonly (readonly [string, Json])[]) => void;
  readonly onFail: () => void;
  readonly onToggle: () => void;
}

/** The view between our own words, and the button that leads to the plain form and back. */
export function renderView(
  { view, interactionId }: InteractionRequest,
  state: FormState,
  part: ViewPart,
): TemplateResult {
  const { form, values, faults: fieldErrors, isDisabled } = state;
  const { isShown, hasFailed, onPropose, onFail, onToggle } = part;
  const shown = { values: withoutSecrets(form, values), fieldErrors, isDisabled };
  const take = (event: CustomEvent<FormValues>) => {
    event.stopPropagation();
    onPropose(isDisabled ? [] : Object.entries(readProposal(form, event.detail, state.input)));
  };
  const fail = (event: Event) => {
    event.stopPropagation();
    onFail();
  };
  return html`<div class="view">
    ${
      isShown || hasFailed
        ? keyed(
            interactionId,
            html`<parley-view
              .view=${view}
              .content=${shown}
              @parley-propose=${take}
              @parley-view-failed=${fail}
            ></parley-view>`,
          )
        : nothing
    }
    ${isShown ? renderAnswer(form, values) : nothing}
    ${hasFailed ? nothing : html`<button type="button" class="plain" @click=${onToggle}>${isShown ? 'Use the plain form' : 'Use the view'}</button>`}
  </div>`;
}

/** In our own words what would be submitted: a view may show anything. */
function renderAnswer(form: FormSchema, values: FormValues): TemplateResult {
  const filled = form.fields.filter(({ id }) => !isEmptyValue(values[id]));
  return html`<dl class="review" aria-label="Your answer" aria-live="polite">
    ${filled.map(
      (field) => html`<div>
        <dt>${renderUntrusted(labelOf(field))}</dt>
        <dd>${renderUntrusted(describeValue(field, values[field.id]))}</dd>
      </div>`,
    )}
    ${filled.length === 0 ? html`<div><dt>Your answer</dt><dd><span class="about">Nothing yet</span></dd></div>` : nothing}
  </dl>`;
}
