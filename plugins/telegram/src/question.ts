import { cutText, describeValue, type Field, isEmptyValue, type Json, type Option } from '@parleyhq/core';
import type { InlineKeyboardButton } from 'grammy/types';
import { cutLabel } from './keyboard.ts';

/** What the bot asks for. */
export interface Step {
  readonly kind: 'reason' | 'comment' | 'form';
  readonly action: string;
  /** Identifies the question in its buttons: up to 10 letters and digits. */
  readonly key: string;
  readonly field: Field | undefined;
  readonly heading: string | undefined;
  /** The options that were chosen so far, if there may be several. */
  readonly chosen: readonly Json[];
  readonly initial: Json | undefined;
}

export interface Choice {
  readonly key: string;
  /** The number of an option, or `yes`, `no`, `done`, `skip`. */
  readonly choice: string;
}

const prompts = {
  reason: 'Write your reason, which whoever asked reads. /cancel to stop.',
  comment: 'Write your comment. /cancel to stop.',
};

export interface Question {
  readonly text: string;
  readonly reply_markup: { inline_keyboard: InlineKeyboardButton[][] } | { force_reply: true };
}

/** Has the app open its keyboard. */
const answerBelow = { force_reply: true } as const;

/** In characters. */
const longestMessage = 4096;

/** Returns the question as the Bot API takes it. @param fault - why the last answer was not taken */
export function drawQuestion(step: Step, fault?: string): Question {
  const { kind, field, heading } = step;
  if (kind !== 'form' || !field) {
    const text = [fault, kind === 'form' ? undefined : prompts[kind]].filter(Boolean).join('\n\n');
    return { text, reply_markup: answerBelow };
  }
  const { description, options = [] } = field;
  const listed = options.map(({ label, description: words }, n) => `${n + 1}. ${label}${words ? ` – ${words}` : ''}`);
  const text = [fault, heading, description, listed.join('\n'), hintFor(field)].filter(Boolean).join('\n\n');
  const rows = drawChoices(step, field);
  return {
    text: cutText(text, longestMessage),
    reply_markup: rows.length > 0 ? { inline_keyboard: rows } : answerBelow,
  };
}

/** Reads what a button below a question sends. */
export function readChoice(data: string): Choice | undefined {
  const [, key, choice] = /^q:([\w-]{1,12}):(\w{1,4})$/.exec(data) ?? [];
  return key === undefined || choice === undefined ? undefined : { key, choice };
}

/** Returns the buttons below a question about a field. */
export function drawChoices({ key, chosen, initial }: Step, field: Field): InlineKeyboardButton[][] {
  const make = (text: string, choice: string): InlineKeyboardButton => ({
    text: cutLabel(text),
    callback_data: `q:${key}:${choice}`,
  });
  const { type, options = [], required } = field;
  const isMulti = type === 'multiselect';
  const mark = ({ value }: Option) => (isMulti ? (chosen.includes(value) ? '☑ ' : '☐ ') : '');
  const rows = options.map((option, n) => [make(`${mark(option)}${option.label}`, String(n))]);
  if (type === 'checkbox') rows.push([make('Yes', 'yes'), make('No', 'no')]);
  if (isMulti) rows.push([make('Done', 'done')]);
  else if (initial !== undefined && !isEmptyValue(initial))
    rows.push([make(`Keep “${describeValue(field, initial)}”`, 'skip')]);
  else if (!required && type !== 'checkbox') rows.push([make('Skip', 'skip')]);
  return rows;
}

function hintFor({ type, other, placeholder }: Field): string | undefined {
  if (type === 'date') return 'Write a date, as 2026-03-01.';
  if (type === 'time') return 'Write a time, as 14:30.';
  if (type === 'datetime') return 'Write a date and a time, as 2026-03-01T14:30+01:00.';
  if (type === 'number') return 'Write a number.';
  if (other) return 'Or write something else.';
  return type === 'text' || type === 'textarea' ? (placeholder ?? 'Write your answer.') : undefined;
}
