import {
  canonicalise,
  type FieldErrors,
  type FormValues,
  type InteractionRequest,
  isRecord,
  type LoadedPrompt,
} from '@parleyhq/core';
import { draftStore, type FormInput } from '../browser/draft-store.ts';
import { startInput } from './form-values.ts';

/** Initial state of a form. */
interface FormStart {
  readonly input: FormInput;
  /** Whether `input` contains what was typed in this tab. */
  readonly isTouched: boolean;
}

/** Returns the initial state of a new form: this tab's draft, unless a later attempt came with values of its own (INT18). */
export function startFromDraft(attempts: readonly LoadedPrompt[], key: string): FormStart {
  const draft = draftStore.resume(key);
  const fresh = { input: startFresh(attempts.at(-1)?.request.payload), isTouched: false };
  if (!draft) return fresh;
  const from = attempts.findIndex((attempt) => attempt.interactionId === draft.attempt);
  const isOverruled = attempts.some(
    ({ request }, n) => n > from && n > 0 && hasOwnValues(request.payload, attempts[n - 1]),
  );
  return isOverruled && from >= 0 ? fresh : { input: { ...fresh.input, ...draft.input }, isTouched: true };
}

/** Returns the state when another attempt replaces the prompt: what was typed stays, unless the tool supplied values (INT8). */
export function continueInput(attempts: readonly LoadedPrompt[], input: FormInput, isTouched: boolean): FormStart {
  const request = attempts.at(-1)?.request.payload;
  const isKept = isTouched && request !== undefined && !hasOwnValues(request, attempts.at(-2));
  return isKept ? { input, isTouched } : { input: startFresh(request), isTouched: false };
}

/** Returns what a form contains before anything is entered. */
export function startFresh(request: InteractionRequest | undefined): FormInput {
  return request?.inputSchema ? startInput(request.inputSchema, withoutRedacted(request.initialValues)) : {};
}

/**
 * Whether the tool itself chose the initial values of an attempt. Otherwise they repeat those of the attempt before, or what
 * somebody answered there, and must not overwrite what is being typed here (INT8).
 */
function hasOwnValues(request: InteractionRequest, before: LoadedPrompt | undefined): boolean {
  const values = canonicalise(withoutRedacted(request.initialValues));
  const inherited = [before?.request.payload.initialValues, before?.response?.payload.input];
  return !inherited.some((candidate) => canonicalise(withoutRedacted(candidate)) === values);
}

function withoutRedacted(values: FormValues | undefined): FormValues {
  return Object.fromEntries(
    Object.entries(values ?? {}).filter(([, value]) => !(isRecord(value) && value.redacted === true)),
  );
}

/** Returns the errors of an attempt, without those about somebody else's text in a field that has other text here. */
export function findOwnFaults(errors: FieldErrors, before: LoadedPrompt | undefined, values: FormValues): FieldErrors {
  const judged = before?.response?.payload.input ?? {};
  const isOther = (id: string) =>
    typeof judged[id] === 'string' && typeof values[id] === 'string' && judged[id] !== values[id];
  return Object.fromEntries(Object.entries(errors).filter(([id]) => !isOther(id)));
}
