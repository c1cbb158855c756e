import { type Card, type CardAction, type Field, isChoice, isRecord, type Json, labelOf } from '@parleyhq/core';
import type { InputBlock, InputBlockElement, KnownBlock, ModalView, PlainTextOption } from '@slack/types';
import { makeLabel } from './draw-card.ts';
import { cutText, drawSections, escapeText, makePlain } from './text.ts';

/** What a modal was opened for; it comes back when the modal is submitted. */
export interface Purpose {
  readonly ticket: string;
  /** Absent for a comment. */
  readonly action?: string;
  /** The message whose button opened it. */
  readonly place?: { readonly channel: string; readonly ts: string };
}

/** In characters: what an input of Slack takes at most. */
const longestInput = 3000;
const longestLabel = 2000;

/** Ids of the inputs for words. */
export const reasonId = 'reason';
export const commentId = 'comment';

/** Asks for the words or values of an answer. */
export function drawAnswerModal(card: Card, action: CardAction, purpose: Purpose): ModalView {
  const reason = action.reason && makeWords(reasonId, 'Reason', action.reason === 'optional');
  const values = action.needsValues ? (card.form?.fields ?? []) : [];
  return makeModal(action.label, purpose, [
    ...drawSections(card.title),
    ...drawSections(card.prompt),
    ...values.flatMap((field, n) => drawField(field, n, card.form?.initialValues?.[field.id] ?? field.defaultValue)),
    ...(reason ? [reason] : []),
  ]);
}

export function drawCommentModal(card: Card, purpose: Purpose): ModalView {
  return makeModal('Comment', purpose, [...drawSections(card.title), makeWords(commentId, 'Comment', false)]);
}

/** Says in a modal what became of it. */
export function drawMessageModal(text: string): ModalView {
  return { type: 'modal', title: makePlain('Parley'), close: makePlain('Close'), blocks: drawSections(text) };
}

/** Returns the id of a field's block, to which Slack attaches an error. */
export function fieldBlockOf(n: number): string {
  return `field-${n}`;
}

/** Returns the block of the free text that a choice may have besides its options. */
export function otherBlockOf(n: number): string {
  return `other-${n}`;
}

function makeModal(title: string, purpose: Purpose, blocks: KnownBlock[]): ModalView {
  return {
    type: 'modal',
    callback_id: 'answer',
    private_metadata: JSON.stringify(purpose),
    title: makePlain(cutText(title, 24)),
    submit: makePlain(cutText(title, 24)),
    close: makePlain('Back'),
    blocks,
  };
}

function makeWords(id: string, label: string, isOptional: boolean): InputBlock {
  const element: InputBlockElement = {
    type: 'plain_text_input',
    action_id: id,
    multiline: true,
    max_length: longestInput,
  };
  return { type: 'input', block_id: id, label: makePlain(label), optional: isOptional, element };
}

function drawField(field: Field, n: number, initial: Json | undefined): KnownBlock[] {
  const { description, required = false, other = false, options = [] } = field;
  const element = drawElement(field, initial);
  const hint = description === undefined ? {} : { hint: makePlain(cutText(description, longestLabel)) };
  const label = cutText(labelOf(field), longestLabel);
  const written = isRecord(initial) && typeof initial.other === 'string' ? { initial_value: initial.other } : {};
  const free: InputBlock = {
    type: 'input',
    block_id: otherBlockOf(n),
    label: makePlain(cutText(`${label}: something else`, longestLabel)),
    optional: true,
    element: { type: 'plain_text_input', action_id: 'value', max_length: longestInput, ...written },
  };
  const input: InputBlock | undefined = element && {
    ...{ type: 'input', block_id: fieldBlockOf(n), label: makePlain(label), element, ...hint },
    optional: !required || other || field.type === 'checkbox',
  };
  return [...drawSections(listLongOptions(options)), ...(input ? [input] : []), ...(other ? [free] : [])];
}

/** Lists options whose labels or descriptions are longer than an option of Slack. */
function listLongOptions(options: NonNullable<Field['options']>): string | undefined {
  if (options.every(({ label, description }) => isShort(label) && description === undefined)) return undefined;
  return options.map(({ label, description }) => (description ? `${label}: ${description}` : label)).join('\n');
}

const isShort = (label: string) => escapeText(label).length <= 75;

/** Draws the element of a field. Undefined for a choice that has no options, only a free text. */
function drawElement(field: Field, initial: Json | undefined): InputBlockElement | undefined {
  const { type, placeholder, options = [] } = field;
  const base = { action_id: 'value' };
  const words = typeof initial === 'string' && initial !== '' && initial.length <= longestInput && initial;
  const text = words === false ? {} : { initial_value: words };
  const hint = placeholder ? { placeholder: makePlain(cutText(placeholder, 150)) } : {};
  if (isChoice(field)) return options.length === 0 ? undefined : drawChoice(field, initial);
  switch (type) {
    case 'checkbox': {
      const yes: PlainTextOption = { text: makePlain('Yes'), value: 'yes' };
      return { type: 'checkboxes', ...base, options: [yes], ...(initial === true && { initial_options: [yes] }) };
    }
    case 'number': {
      const known = typeof initial === 'number' ? { initial_value: String(initial) } : {};
      return { type: 'number_input', ...base, ...hint, is_decimal_allowed: true, ...known };
    }
    case 'date':
      return { type: 'datepicker', ...base, ...(words !== false && { initial_date: words }) };
    case 'time':
      return { type: 'timepicker', ...base, ...(words !== false && { initial_time: words.slice(0, 5) }) };
    case 'datetime': {
      const seconds = Math.floor(Date.parse(String(initial)) / 1000);
      return { type: 'datetimepicker', ...base, ...(!Number.isNaN(seconds) && { initial_date_time: seconds }) };
    }
    default:
      return {
        ...{ type: 'plain_text_input', ...base, ...hint, ...text },
        multiline: type === 'textarea',
        max_length: longestInput,
      };
  }
}

/** Draws a choice. Its values are the indexes of its options: Slack takes short ones only. */
function drawChoice({ type, options = [] }: Field, initial: Json | undefined): InputBlockElement {
  const chosen: readonly (Json | undefined)[] = Array.isArray(initial) ? initial : [initial];
  const all = options.map(({ label }, n): PlainTextOption => ({ text: makeLabel(label || '–'), value: String(n) }));
  const first = all.filter((_, n) => chosen.includes(options[n]?.value));
  const [one] = first;
  if (type === 'multiselect')
    return { type: 'checkboxes', action_id: 'value', options: all, ...(one && { initial_options: first }) };
  return {
    type: type === 'radio' ? 'radio_buttons' : 'static_select',
    action_id: 'value',
    options: all,
    ...(one && { initial_option: one }),
  };
}
