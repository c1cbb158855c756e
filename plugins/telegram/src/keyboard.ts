import { type Card, type CardAction, cutText } from '@parleyhq/core';
import type { InlineKeyboardButton } from 'grammy/types';

/** In characters: longer labels of buttons are cut by the apps, so the text below the question lists them. */
const longestLabel = 60;

/** What a button of a card does. The whole has at most 64 bytes. */
export type Verb = 'answer' | 'reason' | 'form' | 'comment' | 'later' | 'back' | `snooze${number}`;

export interface Pressed {
  readonly verb: Verb;
  readonly action: string;
  readonly ticket: string;
}

const letters: Readonly<Record<string, Verb>> = {
  a: 'answer',
  r: 'reason',
  f: 'form',
  c: 'comment',
  l: 'later',
  b: 'back',
};

/** Delays in minutes that a person may choose, with their labels. */
const delays: readonly (readonly [number, string])[] = [
  [15, '15 minutes'],
  [60, '1 hour'],
  [240, '4 hours'],
  [1440, '1 day'],
];

type Rows = InlineKeyboardButton[][];

/** Returns the buttons of a card. Only an open card has any that do something. */
export function drawButtons(card: Card): Rows {
  const open: InlineKeyboardButton[] = isOpenable(card.url) ? [{ text: 'Open', url: card.url }] : [];
  if (card.state !== 'open') return open.length > 0 ? [open] : [];
  const { actions, ticket } = card;
  const isChoice = actions.length > 0 && actions.every(({ action }) => action === 'submit' || action === 'cancel');
  const buttons = actions.map(toButton);
  const rows = isChoice ? buttons.map((button) => [button]) : [buttons];
  const said = actions.filter(({ reason }) => reason === 'optional').map(toReasonButton);
  const talk = [...said, { text: 'Comment…', callback_data: `c:${ticket}` }];
  return [...rows, talk, [{ text: 'Later…', callback_data: `l:${ticket}` }, ...open]].filter((row) => row.length > 0);
}

/** Returns the buttons with which a card is postponed. */
export function drawDelays({ ticket }: Pick<Card, 'ticket'>): Rows {
  const buttons = delays.map(([minutes, text]) => ({ text, callback_data: `s${minutes}:${ticket}` }));
  return [buttons.slice(0, 2), buttons.slice(2), [{ text: 'Back', callback_data: `b:${ticket}` }]];
}

/** Whether Telegram accepts an address for a button: it refuses names of this machine. */
export function isOpenable(url: string): boolean {
  return URL.canParse(url) && /[.:]/.test(new URL(url).hostname);
}

/** Reads what a button of a card sends. Undefined if it is another button. */
export function readPressed(data: string): Pressed | undefined {
  const [, letter = '', action = '', ticket = ''] =
    /^([a-z]\d*):(?:(approve|deny|submit|cancel):)?([\w.-]+)$/.exec(data) ?? [];
  const verb = /^s\d+$/.test(letter) ? (`snooze${Number(letter.slice(1))}` as const) : letters[letter];
  return verb === undefined || ticket === '' ? undefined : { verb, action, ticket };
}

function toButton({ action, label, ticket, reason, needsValues }: CardAction): InlineKeyboardButton {
  const verb = needsValues ? 'f' : reason === 'required' ? 'r' : 'a';
  return { text: cutLabel(reason === 'required' ? `${label}…` : label), callback_data: `${verb}:${action}:${ticket}` };
}

function toReasonButton({ action, label, ticket }: CardAction): InlineKeyboardButton {
  return { text: cutLabel(`${label} with a reason…`), callback_data: `r:${action}:${ticket}` };
}

/** Truncates the label of a button. */
export function cutLabel(label: string): string {
  return cutText(label, longestLabel);
}
