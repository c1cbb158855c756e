import { toLocalInput } from '@parleyhq/client';
import { type Field, type Json, showHidden } from '@parleyhq/core';
import { html, nothing, type TemplateResult } from 'lit';
import { ifDefined } from 'lit/directives/if-defined.js';
import { live } from 'lit/directives/live.js';
import { hasModifier, isComposing } from '../browser/focus.ts';
import type { FieldContext } from './field-context.ts';

type InputType = 'text' | 'email' | 'url' | 'date' | 'time' | 'datetime-local' | 'password';

const typeOf = ({ type, format }: Field): InputType => {
  switch (type) {
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

/** Returns the keyboard that a touch screen should offer. The numeric one may have no minus. */
const keyboardOf = ({ type, step, min }: Field) => {
  if (type !== 'number' || Number(min) < 0) return nothing;
  return Number.isInteger(step) ? 'numeric' : 'decimal';
};

/** Returns what the control shows; a date-time with an offset is converted to local time. */
const toShown = ({ type }: Field, value: Json | undefined): string => {
  if (typeof value !== 'string') return '';
  return type === 'datetime' && /([Zz]|[+-]\d\d:\d\d)$/.test(value) ? toLocalInput(value) : value;
};

/**
 * Renders a native single-line control: the browser provides keyboards, pickers and autofill, and the core checks the rules.
 * Numbers use a text field: number fields drop what the browser cannot read, and the mouse wheel changes them.
 */
export function renderInput(context: FieldContext, options: { type?: InputType } = {}): TemplateResult {
  const { field, id, name, value, error, isDisabled, describedBy, onInput } = context;
  const type = options.type ?? typeOf(field);
  const bound = (limit: string | number | undefined) =>
    limit === undefined ? undefined : type === 'datetime-local' ? toLocalInput(String(limit)) : String(limit);
  const isText = field.type === 'text' || field.type === 'secret';
  const isNumber = field.type === 'number';
  const isBounded = !isText && !isNumber;
  return html`<input
    id=${id}
    name=${field.id}
    type=${type}
    role=${isNumber ? 'spinbutton' : nothing}
    dir=${isText ? 'auto' : nothing}
    .value=${live(toShown(field, value))}
    placeholder=${field.placeholder === undefined ? nothing : showHidden(field.placeholder)}
    min=${ifDefined(isBounded ? bound(field.min) : undefined)}
    max=${ifDefined(isBounded ? bound(field.max) : undefined)}
    autocomplete=${field.type === 'secret' ? 'new-password' : field.format === 'email' ? 'email' : 'off'}
    inputmode=${keyboardOf(field)}
    enterkeyhint="go"
    autocapitalize=${type === 'text' && isText && !field.pattern && field.type !== 'secret' ? 'sentences' : 'off'}
    spellcheck=${isText && field.type !== 'secret' ? 'true' : 'false'}
    aria-label=${ifDefined(name)}
    aria-invalid=${error ? 'true' : nothing}
    aria-describedby=${ifDefined(describedBy)}
    aria-required=${field.required ? 'true' : nothing}
    ?disabled=${isDisabled}
    @keydown=${isNumber ? (event: KeyboardEvent) => step(context, event) : nothing}
    @input=${(event: InputEvent) => onInput((event.target as HTMLInputElement).value)}
  />`;
}

async function step({ field, onInput }: FieldContext, event: KeyboardEvent): Promise<void> {
  if (!/^Arrow(Up|Down)$/.test(event.key) || hasModifier(event) || isComposing(event)) return;
  event.preventDefault(); // the key would move the caret to the start or end
  const { value } = event.target as HTMLInputElement;
  const { stepNumber } = await import('./number-step.ts');
  onInput(stepNumber(field, value, event.key === 'ArrowUp' ? 1 : -1));
}

export function renderTextarea(context: FieldContext, options: { isMasked?: boolean } = {}): TemplateResult {
  const { field, id, name, value, error, isDisabled, describedBy, onInput } = context;
  return html`<textarea
    id=${id}
    name=${field.id}
    class=${options.isMasked ? 'masked' : nothing}
    autocomplete="off"
    autocapitalize=${field.type === 'secret' ? 'off' : nothing}
    spellcheck=${field.type === 'secret' ? 'false' : 'true'}
    rows="4"
    dir="auto"
    .value=${live(typeof value === 'string' ? value : '')}
    placeholder=${field.placeholder === undefined ? nothing : showHidden(field.placeholder)}
    aria-label=${ifDefined(name)}
    aria-invalid=${error ? 'true' : nothing}
    aria-describedby=${ifDefined(describedBy)}
    aria-required=${field.required ? 'true' : nothing}
    ?disabled=${isDisabled}
    @input=${(event: InputEvent) => onInput((event.target as HTMLTextAreaElement).value)}
  ></textarea>`;
}

/** Renders a password field whose text can be shown. `new-password` keeps browsers from filling in a stored password. */
export function renderSecret(context: FieldContext, isShown: boolean, onToggle: () => void): TemplateResult {
  return html`<div class="secret">
    ${context.isLined ? renderTextarea(context, { isMasked: !isShown }) : renderInput(context, { type: isShown ? 'text' : 'password' })}
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
