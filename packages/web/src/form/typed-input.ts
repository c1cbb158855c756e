import { type FormSchema, type InteractionItem, isRecord, type Json } from '@parleyhq/core';
import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { draftStore, type FormInput } from '../browser/draft-store.ts';
import { continueInput, startFromDraft } from './form-start.ts';
import { startInput, withoutSecrets } from './form-values.ts';

/** Other tabs hear of what is typed after a pause of so many ms. */
const relayMs = 300;

/** What a form is about, and where its draft is kept. */
interface Place {
  readonly form: FormSchema;
  readonly draftKey: string;
}

/** What the controls of a form hold. It outlives a reload and a reprompt, and other tabs of this person hear of it (INT18). */
export class TypedInput implements ReactiveController {
  /** They were changed in this tab. */
  isTouched = false;
  /** The prompt that is asked; undefined before there was one. */
  attempt: string | undefined;
  readonly #host: ReactiveControllerHost;
  readonly #find: () => Place;
  readonly #relay: (typed: FormInput) => void;
  readonly #lined = new Set<string>();
  #values: FormInput = {};
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `relay` passes on what is typed, without secrets. */
  constructor(host: ReactiveControllerHost, find: () => Place, relay: (typed: FormInput) => void) {
    this.#host = host;
    this.#find = find;
    this.#relay = relay;
    host.addController(this);
  }

  get values(): FormInput {
    return this.#values;
  }

  /** Whether a field's text has several lines, or had them in this attempt: a control of one line would glue them together unseen. */
  isLined(id: string): boolean {
    return this.#lined.has(id);
  }

  hostDisconnected(): void {
    clearTimeout(this.#timer);
  }

  /** Begins with the last attempt, or goes on with it. @returns whether it is another one than before */
  follow(attempts: readonly InteractionItem[]): boolean {
    const attempt = attempts.at(-1)?.interactionId;
    if (this.attempt === attempt) return false;
    const start =
      this.attempt === undefined
        ? startFromDraft(attempts, this.#find().draftKey)
        : continueInput(attempts, this.values, this.isTouched);
    this.#lined.clear();
    this.#hold(start.input);
    this.isTouched = start.isTouched;
    this.attempt = attempt;
    return true;
  }

  /** Takes over what another tab of this person types, as long as nothing was typed here. */
  take(values: FormInput): void {
    if (this.isTouched) return;
    this.#hold(startInput(this.#find().form, values));
    this.#host.requestUpdate();
  }

  change(id: string, value: Json | undefined): void {
    const { [id]: _, ...others } = this.values;
    this.#hold(value === undefined ? others : { ...others, [id]: value });
    this.isTouched = true;
    const { form, draftKey } = this.#find();
    const input = withoutSecrets(form, this.values);
    draftStore.write(draftKey, { input, attempt: this.attempt ?? '' });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#relay(input), relayMs);
    this.#host.requestUpdate();
  }

  #hold(values: FormInput): void {
    this.#values = values;
    for (const [id, value] of Object.entries(values)) if (hasLines(value)) this.#lined.add(id);
  }
}

function hasLines(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.some(hasLines);
  return /[\r\n]/.test(String(isRecord(value) ? value.other : value));
}
