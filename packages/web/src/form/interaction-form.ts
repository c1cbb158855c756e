import {
  type Answer,
  checkAnswer,
  type Field,
  type FieldErrors,
  type FormSchema,
  type InputRequest,
  isEmptyValue,
  type Json,
  type LoadedPrompt,
} from '@parleyhq/core';
import { html, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { guard } from 'lit/directives/guard.js';
import type { FormInput } from '../browser/draft-store.ts';
import { findFocus, hasModifier, isComposing } from '../browser/focus.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { foot } from '../ui/form-actions.ts';
import { GuardedElement } from '../ui/guarded-element.ts';
import { beginsWithDigit, chooseNth, hasChips, takesDigits } from './choice-field.ts';
import { renderField } from './field-view.ts';
import { findFirst, findNext, idOf } from './form-controls.ts';
import { describeChosen, renderFormFoot } from './form-foot.ts';
import { renderReview, renderSection, renderSummary, renderTabs } from './form-parts.ts';
import { findOwnFaults } from './form-start.ts';
import { formStyles } from './form-styles.ts';
import {
  type FormStep,
  findSteps,
  findTypedFaults,
  isSkipped,
  joinFaults,
  matchPattern,
  readInput,
  wholeOf,
  withoutSecrets,
} from './form-values.ts';
import { FormView } from './form-view.ts';
import { findHalves, findUnready } from './incomplete-fields.ts';
import { findOnlyChoice, findWordsField, fromWords, isOption, isRepeated, isSaid, toDrawn } from './only-choice.ts';
import { renderOwnButtons } from './own-buttons.ts';
import { readPastedLines } from './pasted-lines.ts';
import { PressedChoice } from './pressed-choice.ts';
import { TypedInput } from './typed-input.ts';

/**
 * The form of a prompt. What is half-typed survives a reload and a reprompt.
 * @fires parley-answer - a complete, valid answer
 * @fires parley-draft - the values typed so far, without secrets
 */
@customElement('parley-form')
export class InteractionForm extends GuardedElement {
  static override styles = [base, controls, foot, formStyles];

  /** The attempts at this prompt, oldest first; the last one is the current one. */
  @property({ attribute: false }) attempts: readonly LoadedPrompt[] = [];
  /** Session of the prompt. */
  @property() sessionId = '';
  /** Key of the draft in the draft store. */
  @property() draftKey = '';
  /** Whether nothing can be entered: interaction is off in this tab, or the tool is handling an answer. */
  @property({ type: Boolean }) isDisabled = false;
  /** Action that is being sent; empty if there is none. */
  @property() sending: Answer['action'] | '' = '';
  /** Heading of the card; a single choice does not repeat it. */
  @property() heading = '';
  /** Shows the whole form, without steps and buttons, to people who may not answer. */
  @property({ type: Boolean }) isOnlooker = false;

  @state() private faults: FieldErrors = {};
  @state() private step = 0;
  /** Whether the fields for notes are shown next to a single choice. */
  @state() private hasNotes = false;
  @state() private shownSecrets: ReadonlySet<string> = new Set();
  /** The control that had the focus when the form was disabled. */
  #left: Element | null = null;
  readonly #view = new FormView(this, (id, value) => this.#change(id, value));
  readonly #typed = new TypedInput(
    this,
    () => ({ form: this.#form, draftKey: this.draftKey }),
    (typed) => this.#fire('parley-draft', withoutSecrets(this.#form, readInput(this.#form, typed))),
  );
  readonly #pressed = new PressedChoice(this, {
    isMade: () => !this.#isIdle && this.#onlyChoice !== undefined && isOption(this.#input[this.#onlyChoice.id]),
    send: () => this.proceed(),
  });

  /** Takes over what another tab of this person types, as long as nothing was typed here (INT18). */
  takeDraft(values: FormInput): void {
    this.#typed.take(values);
  }

  /**
   * Chooses the nth option, counted from 1: of the focused question, or of the first that shows digits, or of the first list.
   * @returns whether there is such an option
   */
  choose(n: number, at?: Element | null): boolean {
    const id = at?.closest('fieldset, select')?.id.slice('field-'.length);
    const { fields } = this.#step;
    const field = fields.find((candidate) => candidate.id === id) ?? fields.find(hasChips) ?? fields.find(takesDigits);
    if (!field || !takesDigits(field) || this.isDisabled) return false;
    const value = chooseNth({ field, value: this.#input[field.id] }, n);
    if (value === undefined) return false;
    this.#change(field.id, value);
    this.#pressed.answerSoon();
    const own = field.options?.[n - 1] ? n - 1 : 'other';
    const control = hasChips(field) || own === 'other' ? `#field-${field.id}-${own}` : `#field-${field.id}`;
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>(control)?.focus());
    return true;
  }

  /** Focuses the first field with an error. @returns whether there is one */
  focusFault(): boolean {
    const [id] = Object.keys(this.faults);
    if (id !== undefined) void this.#goToFault(id);
    return id !== undefined;
  }

  /** Focuses the first control. */
  enter(): void {
    findFirst(this.renderRoot)?.focus();
  }

  /** Submits a text that was written in the message box. @returns whether it answers the form's question */
  answerWith(text: string): boolean {
    const field = findWordsField(this.#form);
    const value = field && fromWords(field, text);
    if (!field || value === undefined) return false;
    this.#change(field.id, value);
    this.proceed();
    return true;
  }

  /** Moves on to the next question or to the review, or submits. */
  proceed(): void {
    if (this.#isIdle || this.#view.isChanging(this.#request)) return;
    this.#pressed.end();
    const values = this.#values;
    const answer: Answer = { action: 'submit', input: values };
    const faults = joinFaults(
      this.#form,
      checkAnswer(this.#request, answer, matchPattern),
      findTypedFaults(this.#form, values),
      findUnready(this.renderRoot),
    );
    const isLast = !this.#isStepper || this.#isReview;
    const own = new Set(this.#step.fields.map(({ id }) => id));
    const shown = isLast ? faults : Object.fromEntries(Object.entries(faults).filter(([id]) => own.has(id)));
    this.faults = shown;
    if (Object.keys(shown).length > 0) void this.#goToFault(Object.keys(shown)[0] ?? '');
    else if (isLast) this.#fire('parley-answer', answer);
    else this.#goTo(this.step + 1);
  }

  get #input(): FormInput {
    return this.#typed.values;
  }

  get #isIdle(): boolean {
    return this.isDisabled || this.sending !== '';
  }

  get #request(): InputRequest {
    const request = this.attempts.at(-1)?.request.payload;
    if (request?.interactionType !== 'input') throw new Error('A form needs its request.');
    return request;
  }

  get #form(): FormSchema {
    const { inputSchema } = this.#request;
    return inputSchema ? toDrawn(inputSchema) : { type: 'form', fields: [] };
  }

  get #steps(): readonly FormStep[] {
    return findSteps(this.#form, this.#input);
  }

  /** Whether the stepper is past its last question. */
  get #isReview(): boolean {
    return this.#isStepper && this.step >= this.#steps.length;
  }

  /** The form's only choice, as long as the form shows nothing else and no notes were written. */
  get #onlyChoice(): Field | undefined {
    const only = this.isOnlooker || this.#view.replaces(this.#request) ? undefined : findOnlyChoice(this.#form);
    const isAlone = only && this.#form.fields.every(({ id }) => id === only.id || isEmptyValue(this.#input[id]));
    return isAlone && !this.hasNotes ? only : undefined;
  }

  get #isStepper(): boolean {
    return (
      this.#form.layout === 'stepper' &&
      this.#steps.length > 1 &&
      !this.isOnlooker &&
      !this.#view.replaces(this.#request)
    );
  }

  get #step(): FormStep {
    const all = wholeOf(this.#form);
    if (!this.#isStepper) return { ...all, fields: this.#steps.flatMap(({ fields }) => fields) };
    if (this.#isReview) return { ...all, fields: [] };
    return this.#steps[this.step] ?? all;
  }

  /** Returns the focus to the control that had it before the form was disabled, for example while an answer was handled. */
  protected override updated(changed: PropertyValues<this>): void {
    const isAtHeading = findFocus() === (this.getRootNode() as ShadowRoot).querySelector?.('h2');
    if (changed.get('isDisabled') && !this.isDisabled && isAtHeading) (this.#left as HTMLElement | null)?.focus();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('isDisabled') && this.isDisabled) this.#left = this.shadowRoot?.activeElement ?? null;
    const { fieldErrors = {} } = this.#request;
    if (this.isDisabled) this.#pressed.end();
    if (!this.#typed.follow(this.attempts)) return;
    this.faults = this.#typed.isTouched ? findOwnFaults(fieldErrors, this.attempts.at(-2), this.#values) : fieldErrors;
    this.#pressed.end();
    const faulty = this.#steps.findIndex(({ fields }) => fields.some(({ id }) => id in this.faults));
    this.step = Math.max(0, faulty);
  }

  override render() {
    const only = this.#onlyChoice;
    const steps = this.#isStepper ? [this.#step] : only ? [{ ...this.#step, fields: [only] }] : this.#steps;
    const go = (step: number) => this.#goTo(step);
    const isViewed = this.#view.replaces(this.#request);
    const isDisabled = this.#isIdle || this.isOnlooker;
    const state = { form: this.#form, input: this.#input, values: this.#values, faults: this.faults, isDisabled };
    const { notePress, answerPressed } = this.#pressed;
    return html`<form novalidate @submit=${this.#submit} @keydown=${this.#press} @paste=${this.#paste} @pointerdown=${notePress} @keyup=${answerPressed} @click=${answerPressed} @change=${answerPressed}>
      ${this.#isStepper ? renderTabs(this.#steps, this.step, this.#values, go) : nothing}
      ${renderSummary(this.#form, isViewed ? [] : this.#step.fields, this.faults, this.#request, (id) => this.#goToFault(id))}
      ${this.#view.render(this.#request, state)} ${isViewed || this.#isReview ? nothing : steps.map((step) => this.#renderStep(step))}
      ${this.#isReview ? renderReview(this.#steps, this.#values, go) : nothing}
      <slot name="files"></slot> ${this.isOnlooker ? nothing : this.#renderFoot(only)}
    </form>`;
  }

  get #values() {
    return readInput(this.#form, this.#input);
  }

  #renderStep(step: FormStep) {
    const isDisabled = this.#isIdle;
    const only = findOnlyChoice(this.#form);
    const isAlone = this.#form.fields.length === 1;
    const isLeft = isSkipped(step, this.#values);
    // Only the changed field is rendered again.
    const fields = step.fields.map((field) => {
      const [value, error, isShown] = [this.#input[field.id], this.faults[field.id], this.shownSecrets.has(field.id)];
      return guard([field, value, error, isShown, isDisabled, isLeft, this.#typed.attempt], () =>
        renderField(
          {
            field: isLeft ? { ...field, required: false } : field,
            id: `field-${field.id}`,
            value,
            error,
            isDisabled,
            isLined: this.#typed.isLined(field.id),
            place: { sessionId: this.sessionId, interactionId: this.#typed.attempt ?? '' },
            isBare: field === only ? isSaid(only, this.heading) : isAlone && isRepeated(field, this.heading),
            onInput: (changed) => this.#change(field.id, changed),
          },
          { isShown, onToggle: () => this.#toggleSecret(field.id) },
        ),
      );
    });
    return renderSection(step, fields);
  }

  #renderFoot(only: Field | undefined) {
    const [isIdle, values] = [this.#isIdle, this.#values];
    const isHeld = isIdle || this.#view.isChanging(this.#request);
    return renderFormFoot({
      form: this.#form,
      isIdle,
      isHeld,
      sending: this.sending,
      isLast: !this.#isStepper || this.#isReview,
      isUnchosen: only !== undefined && this.#input[only.id] === undefined,
      chosen: this.#pressed.isRunning ? describeChosen(only, this.#input) : undefined,
      own: isHeld
        ? nothing
        : renderOwnButtons(this.#request.actions, this.#form, values, (answer) => this.#fire('parley-answer', answer)),
      onCancel: () => this.#cancel(),
      onTakeBack: () => this.#takeBack(),
      onNote: only && this.#form.fields.length > 1 ? () => this.#addNotes() : undefined,
      onBack: this.#isStepper && this.step > 0 ? () => this.#goTo(this.step - 1) : undefined,
    });
  }

  #addNotes(): void {
    this.#pressed.end();
    this.hasNotes = true;
    void this.updateComplete.then(() =>
      this.renderRoot.querySelector<HTMLElement>('input[type="text"], textarea')?.focus(),
    );
  }

  /** Sends a choice that could still be undone: people who leave it meant it. */
  sendChosen(): void {
    if (this.#pressed.isRunning) this.proceed();
  }

  #takeBack(): void {
    this.#pressed.takeBack();
    const only = this.#onlyChoice;
    if (only) this.#change(only.id, undefined);
    void this.updateComplete.then(() => findFirst(this.renderRoot)?.focus());
  }

  #submit(event: Event): void {
    event.preventDefault();
    this.proceed();
  }

  #cancel(): void {
    if (!this.#pressed.isJustTakenBack) this.#fire('parley-answer', { action: 'cancel' } satisfies Answer);
  }

  /** Enter moves on or submits from a field that was changed; anywhere with Ctrl or Cmd, as in a multi-line field (WEB5). */
  #press(event: KeyboardEvent): void {
    const target = event.target as Element;
    this.#pressed.notePress(event);
    if (isComposing(event)) return;
    if (event.key === 'Escape' && this.#pressed.isRunning) {
      event.stopPropagation();
      this.#takeBack();
    }
    if (target instanceof HTMLSelectElement && /^[1-9]$/.test(event.key)) this.#chooseInList(event, target);
    if (event.key !== 'Enter' || event.shiftKey || target.matches('button, summary, [type="file"]')) return;
    const isCertain = event.ctrlKey || event.metaKey;
    if (target.localName === 'textarea' && !isCertain) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.repeat) return;
    if (isCertain || this.#typed.isChanged(idOf(target))) this.proceed();
    else findNext(this.renderRoot, target)?.focus();
  }

  #paste(event: ClipboardEvent): void {
    const lines = readPastedLines(event);
    if (lines === undefined) return;
    event.preventDefault();
    const { id, name } = event.target as HTMLInputElement;
    this.#change(name, lines);
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>(`#${id}`)?.focus());
  }

  #chooseInList(event: KeyboardEvent, list: HTMLSelectElement): void {
    const field = this.#step.fields.find(({ id }) => list.id === `field-${id}`);
    if (!field || beginsWithDigit(field) || hasModifier(event)) return;
    if (this.choose(Number(event.key), list)) event.preventDefault();
  }

  #change(id: string, value: Json | undefined): void {
    this.#typed.change(id, value);
    const { [id]: _, ...faults } = this.faults;
    this.faults = faults;
    this.#pressed.end();
  }

  #toggleSecret(id: string): void {
    const shown = new Set(this.shownSecrets);
    if (!shown.delete(id)) shown.add(id);
    this.shownSecrets = shown;
  }

  /** Goes to a step, unless a date is half-typed: it is not part of the values, and leaving the step would lose it. */
  #goTo(step: number): void {
    const half = findHalves(this.renderRoot);
    this.faults = joinFaults(this.#form, this.faults, half);
    const [id] = Object.keys(half);
    if (id !== undefined) return void this.#goToFault(id);
    this.step = step;
    void this.updateComplete.then(() => findFirst(this.renderRoot)?.focus());
  }

  async #goToFault(id: string): Promise<void> {
    const at = this.#steps.findIndex(({ fields }) => fields.some((field) => field.id === id));
    if (this.#isStepper && at >= 0) this.step = at;
    await this.updateComplete;
    const marked = this.renderRoot.querySelector(`#field-${id}`);
    const control = marked?.matches('fieldset') ? marked.querySelector('input') : marked;
    if (control instanceof HTMLElement) control.focus();
  }

  #fire(type: 'parley-answer' | 'parley-draft', detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }
}
