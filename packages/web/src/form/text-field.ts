import { toLocalInput } from '@parleyhq/client';
import { type Field, showHidden } from '@parleyhq/core';
import { html, noChange, nothing, type TemplateResult } from 'lit';
import { ifDefined } from 'lit/directives/if-defined.js';
import { live } from 'lit/directives/live.js';
import type { FieldContext } from './field-context.ts';

type InputType = 'text' | 'email' | 'url' | 'number' | 'date' | 'time' | 'datetime-local' | 'password';

const typeOf = ({ type, format }: Field): InputType => {
  switch (type) {
    case 'number':
    case 'date':
    case 'time':
      return type;
    case 'datetime':
      return 'datetime-local';
    case 'secret':
      return 'password';
    default:
      return format === 'email' ? 'email' : format === 'uri' || format === 'url' ? 'url' : 'text';
  }
};

/** The keyboard that a touch screen offers. */
const keyboardOf = ({ type, step }: Field) =>
  type !== 'number' ? nothing : Number.isInteger(step) ? 'numeric' : 'decimal';

/** Stands for input that the browser does not reveal because it is no number; the control keeps showing it. */
const notANumber = 'not a number';

/** A native single-line control: the browser provides keyboards, pickers and autofill, and core checks the rules. */
export function renderInput(context: FieldContext, options: { type?: InputType } = {}): TemplateResult {
  const { field, id, value, error, isDisabled, describedBy, onInput } = context;
  const type = options.type ?? typeOf(field);
  const bound = (limit: string | number | undefined) =>
    limit === undefined ? undefined : type === 'datetime-local' ? toLocalInput(String(limit)) : String(limit);
  const isText = field.type === 'text' || field.type === 'secret';
  return html`<input
    id=${id}
    name=${field.id}
    type=${type}
    dir=${isText ? 'auto' : nothing}
    .value=${value === notANumber ? noChange : live(typeof value === 'string' ? value : '')}
    placeholder=${field.placeholder === undefined ? nothing : showHidden(field.placeholder)}
    min=${ifDefined(isText ? undefined : bound(field.min))}
    max=${ifDefined(isText ? undefined : bound(field.max))}
    step=${field.type === 'number' ? String(field.step ?? 'any') : nothing}
    maxlength=${ifDefined(isText ? field.maxLength : undefined)}
    autocomplete=${field.type === 'secret' ? 'new-password' : field.format === 'email' ? 'email' : 'off'}
    inputmode=${keyboardOf(field)}
    enterkeyhint="go"
    autocapitalize=${type === 'text' && isText && !field.pattern && field.type !== 'secret' ? 'sentences' : 'off'}
    spellcheck=${isText && field.type !== 'secret' ? 'true' : 'false'}
    aria-invalid=${error ? 'true' : nothing}
    aria-describedby=${ifDefined(describedBy)}
    aria-required=${field.required ? 'true' : nothing}
    ?disabled=${isDisabled}
    @input=${(event: InputEvent) => onInput(readValue(event.target as HTMLInputElement))}
  />`;
}

/** A number that the browser cannot parse is an error, not an empty field. */
function readValue(input: HTMLInputElement): string {
  return input.value === '' && input.validity.badInput ? notANumber : input.value;
}

export function renderTextarea(context: FieldContext): TemplateResult {
  const { field, id, value, error, isDisabled, describedBy, onInput } = context;
  return html`<textarea
    id=${id}
    name=${field.id}
    rows="4"
    dir="auto"
    .value=${live(typeof value === 'string' ? value : '')}
    placeholder=${field.placeholder === undefined ? nothing : showHidden(field.placeholder)}
    maxlength=${ifDefined(field.maxLength)}
    aria-invalid=${error ? 'true' : nothing}
    aria-describedby=${ifDefined(describedBy)}
    aria-required=${field.required ? 'true' : nothing}
    ?disabled=${isDisabled}
    @input=${(event: InputEvent) => onInput((event.target as HTMLTextAreaElement).value)}
  ></textarea>`;
}

/** A password field whose text can be shown. `new-password` keeps browsers from filling in a stored login. */
export function renderSecret(context: FieldContext, isShown: boolean, onToggle: () => void): TemplateResult {
  return html`<div class="secret">
    ${renderInput(context, { type: isShown ? 'text' : 'password' })}
    <button type="button" aria-pressed=${isShown ? 'true' : 'false'} aria-label="Show what is typed" @click=${onToggle}>
      ${isShown ? 'Hide' : 'Show'}
    </button>
  </div>`;
}

export function renderCheckbox(context: FieldContext): TemplateResult {
  const { field, id, value, error, isDisabled, describedBy, onInput } = context;
  return html`<input
    id=${id}
    name=${field.id}
    type="checkbox"
    .checked=${live(value === true)}
    aria-invalid=${error ? 'true' : nothing}
    aria-describedby=${ifDefined(describedBy)}
    aria-required=${field.required ? 'true' : nothing}
    ?disabled=${isDisabled}
    @change=${(event: Event) => onInput((event.target as HTMLInputElement).checked)}
  />`;
}
