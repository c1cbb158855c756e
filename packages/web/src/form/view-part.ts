import {
  describeValue,
  type FieldErrors,
  type FormSchema,
  type FormValues,
  type InputRequest,
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

/** State of a form that its view shows. */
export interface FormState {
  readonly form: FormSchema;
  /** Values as the controls hold them. */
  readonly input: FormInput;
  /** The answer that these values are. */
  readonly values: FormValues;
  readonly faults: FieldErrors;
  readonly isDisabled: boolean;
}

/** State of a form's view, and the handlers of what it does. */
interface ViewPart {
  readonly isShown: boolean;
  readonly hasFailed: boolean;
  readonly onPropose: (proposed: readonly (readonly [string, Json])[]) => void;
  readonly onFail: () => void;
  readonly onToggle: () => void;
}

/** Renders the view with the answer in our own words, and a button that switches to the plain form and back. */
export function renderView({ view, interactionId }: InputRequest, state: FormState, part: ViewPart): TemplateResult {
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

/** Renders in our own words what would be submitted, because a view may show anything. */
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
