import { type Field, isRecord, type Json, type Option, showHidden } from '@parleyhq/core';
import { html, nothing, type TemplateResult } from 'lit';
import { ifDefined } from 'lit/directives/if-defined.js';
import { live } from 'lit/directives/live.js';
import type { FieldContext } from './field-context.ts';
import { readLabel } from './only-choice.ts';
import { renderInput, renderTextarea } from './text-field.ts';

/** Value of the control for free text. The NUL makes it different from every option's value. */
const otherMark = '\u0000other';

/** Previews up to this many lines are shown expanded. */
const openLines = 8;

const isOther = (value: Json | undefined): value is { other: string } => isRecord(value) && 'other' in value;

/** Whether the options are shown as rows, each with its digit. */
export const hasChips = ({ type }: Field): boolean => type === 'radio' || type === 'multiselect';

/** Whether digits choose one of the field's options (WEB5). */
export const takesDigits = (field: Field): boolean => hasChips(field) || field.type === 'select';

/** Whether an option begins with a digit: then the browser's own list uses digits to find options. */
export const beginsWithDigit = ({ options = [] }: Field): boolean => options.some(({ label }) => /^\d/.test(label));

/** Returns the field's value after choosing its nth option by its digit, counted from 1 (WEB5); undefined if there is none. */
export function chooseNth(context: Pick<FieldContext, 'field' | 'value'>, n: number): Json | undefined {
  const { field, value } = context;
  const options = field.options ?? [];
  const option = options[n - 1];
  const isFree = !option && field.other && n === options.length + 1;
  if (!option && !isFree) return undefined;
  const chosen: Json = option ? option.value : { other: '' };
  return field.type === 'multiselect' ? toggle(value, chosen) : chosen;
}

function toggle(value: Json | undefined, chosen: Json): Json {
  const list = Array.isArray(value) ? value : [];
  const isSame = (member: Json) => (isOther(chosen) ? isOther(member) : member === chosen);
  return list.some(isSame) ? list.filter((member) => !isSame(member)) : [...list, chosen];
}

export function renderSelect(context: FieldContext): TemplateResult {
  const { field, id, value, error, isDisabled, describedBy, onInput } = context;
  const selected = isOther(value) ? otherMark : value;
  const pick = (event: Event) => {
    const { value: picked } = event.target as HTMLSelectElement;
    onInput(picked === otherMark ? { other: '' } : picked);
  };
  return html`<select
      id=${id}
      name=${field.id}
      aria-invalid=${error ? 'true' : nothing}
      aria-describedby=${ifDefined(describedBy)}
      aria-required=${field.required ? 'true' : nothing}
      ?disabled=${isDisabled}
      @change=${pick}
    >
      <option class="untrusted" value="" .selected=${live(selected === undefined || selected === '')}>
        ${showHidden(field.placeholder ?? 'Choose …')}
      </option>
      ${field.options?.map(
        (option) =>
          html`<option class="untrusted" value=${option.value} .selected=${live(selected === option.value)}>
            ${showHidden(option.label)}${option.description ? ` — ${showHidden(option.description)}` : ''}
          </option>`,
      )}
      ${
        field.other
          ? html`<option value=${otherMark} .selected=${live(selected === otherMark)}>Other …</option>`
          : nothing
      }
    </select>
    ${isOther(value) ? renderOther(context, value.other, (other) => onInput({ other })) : nothing}`;
}

/** Renders radio buttons or checkboxes, one row per option. */
export function renderOptions(context: FieldContext): TemplateResult {
  const { field, value, onInput } = context;
  const isMany = field.type === 'multiselect';
  const list = Array.isArray(value) ? value : [];
  const free = isMany ? list.find(isOther) : isOther(value) ? value : undefined;
  const choose = (chosen: Json) => onInput(isMany ? toggle(value, chosen) : chosen);
  const setFree = (other: string) =>
    onInput(isMany ? list.map((member) => (isOther(member) ? { other } : member)) : { other });
  return html`<div class="options">
      ${field.options?.map((option, n) =>
        renderOption(context, option, n, isMany ? list.includes(option.value) : value === option.value, () =>
          choose(option.value),
        ),
      )}
      ${
        field.other
          ? renderOption(
              context,
              { value: otherMark, label: 'Other' },
              field.options?.length ?? 0,
              free !== undefined,
              () => choose({ other: '' }),
            )
          : nothing
      }
    </div>
    ${free ? renderOther(context, free.other, setFree) : nothing}`;
}

function renderOption(
  { id, field, isDisabled }: FieldContext,
  option: Option,
  n: number,
  isChosen: boolean,
  onChoose: () => void,
): TemplateResult {
  const own = `${id}-${n}`;
  const { words, isRecommended } = readLabel(option.label);
  const about = [isRecommended && `${own}-mark`, option.description && `${own}-about`].filter(Boolean).join(' ');
  return html`<div class="option">
    <input
      id=${own}
      name=${id}
      type=${field.type === 'multiselect' ? 'checkbox' : 'radio'}
      value=${option.value}
      .checked=${live(isChosen)}
      aria-describedby=${about || nothing}
      ?disabled=${isDisabled}
      @change=${onChoose}
    />
    <div>
      <label class="untrusted" for=${own}>${showHidden(words)}</label>
      ${isRecommended ? html`<span class="recommended" id="${own}-mark">Recommended</span>` : nothing}
      ${option.description ? html`<p class="about untrusted" id="${own}-about">${showHidden(option.description)}</p>` : nothing}
    </div>
    ${n < 9 ? html`<kbd aria-hidden="true">${n + 1}</kbd>` : nothing}
    ${option.preview ? renderPreview(option.preview, words) : nothing}
  </div>`;
}

/** Renders what choosing the option would give; short previews are expanded. */
function renderPreview(text: string, words: string): TemplateResult {
  return html`<details class="preview" ?open=${text.split('\n').length <= openLines}>
    <summary>Preview<span class="visually-hidden"> of ${showHidden(words)}</span></summary>
    <pre class="untrusted" tabindex="0">${showHidden(text)}</pre>
  </details>`;
}

function renderOther(context: FieldContext, text: string, onText: (text: string) => void): TemplateResult {
  const { id, isLined } = context;
  const own: FieldContext = {
    ...context,
    id: `${id}-other`,
    field: { id: context.field.id, type: 'text', placeholder: 'In your own words' },
    name: 'Other, in your own words',
    value: text,
    onInput: (typed) => onText(String(typed)),
  };
  return html`<div class="other">${isLined ? renderTextarea(own) : renderInput(own)}</div>`;
}
