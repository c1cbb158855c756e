import type { Notifier } from '@parleyhq/core';
import { configSchema, makeApi, type Signal } from './config.ts';
import { endDialog } from './dialogs.ts';
import { draw } from './draw.ts';
import { attempt, attemptEdit } from './failure.ts';
import { listen } from './listen.ts';
import type { Where } from './screen.ts';

/** Asks people in private chats of a Telegram bot, and takes their answers there (CHAT4). */
export const telegram: Notifier = {
  name: 'telegram',
  configSchema,
  howToLink: 'Send /start {code} to the bot, in a private chat.',
  async notify({ type }, { config, account, card, signal }) {
    const api = makeApi(config);
    const chat = Number(account?.id);
    if (type === 'test' || !card) {
      const text = 'A test of Parley: you will be asked here when something waits for you.';
      await attempt(() => api.sendMessage(chat, text, {}, signal as Signal), signal);
      return true;
    }
    const { text, ...more } = draw(card);
    const sent = await attempt(() => api.sendMessage(chat, text, more, signal as Signal), signal);
    return { chat, message: sent.message_id };
  },
  async update({ comment }, { config, card, message: ref, state, signal }) {
    if (!card) return;
    const api = makeApi(config);
    const { chat, message } = ref as Where;
    const { text, ...more } = draw(card);
    const isThere = await attemptEdit(() => api.editMessageText(chat, message, text, more, signal as Signal), signal);
    if (card.state !== 'open' && state) {
      const replace = (question: Where, said: string) =>
        attemptEdit(() => api.editMessageText(question.chat, question.message, said, {}, signal as Signal), signal);
      await endDialog({ chat, message }, { state, replace, isAskedAgain: card.state === 'snoozed' });
    }
    if (!comment || !card.comments || !isThere) return;
    const { by, text: said } = card.comments; // an edit does not make a sound
    const reply = { reply_parameters: { message_id: message, allow_sending_without_reply: true } };
    await attempt(() => api.sendMessage(chat, `${by} commented: ${said}`, reply, signal as Signal), signal);
  },
  listen,
};
