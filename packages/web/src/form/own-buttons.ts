import { type Answer, type FormButton, type FormSchema, type FormValues, pickFitting } from '@parleyhq/core';
import { html } from 'lit';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import { matchPattern } from './form-values.ts';

/** Renders the buttons of the form's author; each answers at once (PLG11). */
export function renderOwnButtons(
  buttons: readonly FormButton[] | undefined,
  form: FormSchema,
  values: FormValues,
  onAnswer: (answer: Answer) => void,
) {
  return buttons?.map(
    (button) =>
      html`<button type="button" @click=${() => onAnswer(toAnswer(button, form, values))}>${renderUntrusted(button.label)}</button>`,
  );
}

/** Returns a button's answer; a button that keeps the input includes the valid values. */
function toAnswer({ id, keepsInput }: FormButton, form: FormSchema, values: FormValues): Answer {
  const input = keepsInput && pickFitting(form, values, matchPattern);
  return { action: 'submit', button: id, ...(input && { input }) };
}
