import { type FormSchema, isRecord, type Json, type LoadedPrompt } from '@parleyhq/core';
import type { ReactiveControllerHost } from 'lit';
import { draftStore, type FormInput } from '../browser/draft-store.ts';
import { DraftRelay } from './draft-relay.ts';
import { continueInput, startFromDraft } from './form-start.ts';
import { startInput, withoutSecrets } from './form-values.ts';

/** The form, and the key of its draft. */
interface Place {
  readonly form: FormSchema;
  readonly draftKey: string;
}

/** Values of a form's controls. They survive a reload and a reprompt, and are relayed to other tabs of this person (INT18). */
export class TypedInput {
  /** Whether they were changed in this tab. */
  isTouched = false;
  /** Id of the current prompt; undefined before the first one. */
  attempt: string | undefined;
  readonly #host: ReactiveControllerHost;
  readonly #find: () => Place;
  readonly #relay: DraftRelay;
  readonly #lined = new Set<string>();
  #changed = new Set<string>();
  #values: FormInput = {};

  /** @param relay - passes on what is typed, without secrets */
  constructor(host: ReactiveControllerHost, find: () => Place, relay: (typed: FormInput) => void) {
    this.#host = host;
    this.#find = find;
    this.#relay = new DraftRelay(host, relay);
  }

  get values(): FormInput {
    return this.#values;
  }

  /**
   * Whether a field's text has or had several lines in this attempt: a single-line control would join them without showing it.
   */
  isLined(id: string): boolean {
    return this.#lined.has(id);
  }

  /** Whether a field was changed, or is in a form that was: only then Enter in it submits the form (WEB5). */
  isChanged(id: string): boolean {
    return this.#changed.has(id);
  }

  /** Starts with the last attempt, or continues it. @returns whether the attempt is a new one */
  follow(attempts: readonly LoadedPrompt[]): boolean {
    const attempt = attempts.at(-1)?.interactionId;
    if (this.attempt === attempt) return false;
    const start =
      this.attempt === undefined
        ? startFromDraft(attempts, this.#find().draftKey)
        : continueInput(attempts, this.values, this.isTouched);
    this.#lined.clear();
    this.#hold(start.input);
    this.isTouched = start.isTouched;
    this.#changed = new Set(start.isTouched ? Object.keys(start.input) : []);
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
    this.#changed.add(id);
    const { form, draftKey } = this.#find();
    const input = withoutSecrets(form, this.values);
    draftStore.write(draftKey, { input, attempt: this.attempt ?? '' });
    this.#relay.changed(input);
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
