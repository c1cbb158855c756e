import type { Card } from '@parleyhq/core';
import { drawButtons, isOpenable } from './keyboard.ts';
import { drawText } from './text.ts';

/** Returns a card as the Bot API takes it. */
export function draw(card: Card) {
  const { text, entities, isWhole } = drawText(card, isOpenable(card.url) ? undefined : card.url);
  return {
    text,
    entities: [...entities],
    link_preview_options: { is_disabled: true },
    reply_markup: { inline_keyboard: drawButtons(isWhole ? card : { ...card, actions: [] }) },
  };
}
