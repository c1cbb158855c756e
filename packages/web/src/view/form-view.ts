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
import { html, nothing, type ReactiveController, type ReactiveControllerHost, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { FormInput } from '../form/form-values.ts';
import { guardMs } from '../prompt/misclick-guard.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import { readProposal } from './proposal.ts';

/** What a form has that a view shows. */
interface FormState {
  readonly form: FormSchema;
  /** As the controls hold it, and the answer that this is. */
  readonly input: FormInput;
  readonly values: FormValues;
  readonly faults: FieldErrors;
  readonly isDisabled: boolean;
}

/** The view of a form's request in place of its fields, for as long as it works and nobody wants the plain form (PLG10). */
export class FormView implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  readonly #change: (id: string, value: Json) => void;
  /** The prompt whose view failed. */
  #failed: string | undefined;
  #isPlain = false;
  /** In ms, on the page's clock. */
  #changedAt = Number.NEGATIVE_INFINITY;
  #settling: ReturnType<typeof setTimeout> | undefined;

  constructor(host: ReactiveControllerHost, change: (id: string, value: Json) => void) {
    this.#host = host;
    this.#change = change;
    host.addController(this);
  }

  hostDisconnected(): void {
    clearTimeout(this.#settling);
  }

  /** Whether fields are drawn by the view. */
  replaces({ view, interactionId }: InteractionRequest): boolean {
    return view !== undefined && !this.#isPlain && this.#failed !== interactionId;
  }

  /** Whether the view changed the answer just now: a press would be meant for what was there before (SEC5). */
  isChanging(request: InteractionRequest): boolean {
    return this.replaces(request) && performance.now() - this.#changedAt < guardMs;
  }

  render(request: InteractionRequest, state: FormState): TemplateResult | typeof nothing {
    const { view, interactionId } = request;
    if (!view) return nothing;
    void import('./view-frame.ts'); // most forms have none
    const { form, values, faults: fieldErrors, isDisabled } = state;
    const isShown = this.replaces(request);
    const shown = { values: withoutSecrets(form, values), fieldErrors, isDisabled };
    const hasFailed = this.#failed === interactionId;
    return html`<div class="view">
      ${
        isShown || hasFailed
          ? keyed(
              interactionId,
              html`<parley-view
                .view=${view}
                .content=${shown}
                @parley-propose=${(event: CustomEvent<FormValues>) => this.#take(event, state)}
                @parley-view-failed=${(event: Event) => this.#fail(event, interactionId)}
              ></parley-view>`,
            )
          : nothing
      }
      ${isShown ? renderAnswer(form, values) : nothing}
      ${hasFailed ? nothing : html`<button type="button" class="plain" @click=${this.#toggle}>${isShown ? 'Use the plain form' : 'Use the view'}</button>`}
    </div>`;
  }

  #take(event: CustomEvent<FormValues>, { form, input, isDisabled }: FormState): void {
    event.stopPropagation();
    const proposed = isDisabled ? [] : Object.entries(readProposal(form, event.detail, input));
    for (const [id, value] of proposed) this.#change(id, value);
    if (proposed.length === 0) return;
    this.#changedAt = performance.now();
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => this.#host.requestUpdate(), guardMs + 10);
  }

  #fail(event: Event, interactionId: string): void {
    event.stopPropagation();
    this.#failed = interactionId;
    this.#host.requestUpdate();
  }

  readonly #toggle = (): void => {
    this.#isPlain = !this.#isPlain;
    this.#host.requestUpdate();
  };
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

function withoutSecrets({ fields }: FormSchema, values: FormValues): FormValues {
  const secrets = new Set(fields.filter(({ type }) => type === 'secret').map(({ id }) => id));
  return Object.fromEntries(Object.entries(values).filter(([id]) => !secrets.has(id)));
}
