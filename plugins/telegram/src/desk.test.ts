import type { Card, CardAction, ChatAnswer, ChatReply, Json, ListenHost, PluginLog } from '@parleyhq/core';
import type { Api } from 'grammy';
import type { Update } from 'grammy/types';
import { expect, test } from 'vitest';
import { Desk } from './desk.ts';
import { Screen } from './screen.ts';

const log: PluginLog = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const from = { id: 1001, is_bot: false, first_name: 'Ann' };
const chat = { id: 1001, type: 'private', first_name: 'Ann' };

const common = {
  kind: 'approval',
  session: 'S',
  title: 'Deploy?',
  ticket: 'k',
  url: 'https://example.org/s/1',
} as const;
const allow: CardAction = { action: 'approve', label: 'Allow once', ticket: 'a' };
const open: Card = { ...common, state: 'open', actions: [allow] };
const settled: Card = { ...common, state: 'settled', actions: [], outcome: 'Denied by bob, in Parley' };

interface StageOptions {
  /** What the server shows, one after the other. */
  readonly cards?: (Card | ChatReply)[];
  readonly replies?: ChatReply[];
  /** Whether the message shows what became of the prompt already. */
  readonly isOver?: boolean;
}

/** A desk; `texts` is what the message and the chat say, in order. */
function stage({ cards = [], replies = [], isOver = false }: StageOptions) {
  const texts: string[] = [];
  const given: ChatAnswer[] = [];
  const state = new Map<string, Json>();
  const take = async (text: string) => {
    texts.push(text);
    return {};
  };
  const api = {
    sendMessage: (_: number, text: string) => take(text),
    editMessageText: (_: number, __: number, text: string) => take(text),
    editMessageReplyMarkup: () => take('other buttons'),
    answerCallbackQuery: async () => true,
  } as unknown as Api;
  const host = {
    ...{ config: {}, log },
    state: {
      get: async (key: string) => state.get(key),
      set: async (key: string, value: Json) => void state.set(key, value),
      delete: async (key: string) => void state.delete(key),
    },
    card: async () => {
      const shown = cards.shift() ?? settled;
      return 'isDone' in shown ? shown : { isDone: true, text: '', card: shown };
    },
    answer: async (answer: ChatAnswer) => {
      given.push(answer);
      return replies.shift() ?? { isDone: true, text: 'Submitted.', card: open };
    },
    redraw: async (_: Json, { state }: Card, draw: () => unknown) =>
      void ((state === 'settled' || !isOver) && (await draw())),
    snooze: async () => ({ isDone: true, text: '', card: { ...open, state: 'snoozed', outcome: 'Postponed' } }),
  } as unknown as ListenHost;
  const desk = new Desk({ host, screen: new Screen(api, host), botName: 'bot' });
  let count = 0;
  const send = (update: object) => {
    count += 1;
    return desk.handle({ update_id: count, ...update } as Update);
  };
  return {
    ...{ texts, given, desk },
    press: (data: string) =>
      send({ callback_query: { id: '1', from, data, message: { message_id: 7, date: 1, chat }, chat_instance: '1' } }),
    write: (text: string) => send({ message: { message_id: 8, date: 1, chat, from, text } }),
  };
}

test.each([
  ['the delays', 'l:k', [open]],
  ['the buttons again', 'b:k', [open]],
  ['that it is postponed', 's60:k', []],
])(
  '[CHAT1, CHAT3] a message that is to show %s is left alone if it shows what became of the prompt meanwhile',
  async (_, data, cards) => {
    const pressed = async (isOver: boolean) => {
      const { press, texts } = stage({ cards: [...cards], isOver });
      await press(data);
      return texts.length;
    };
    expect([await pressed(false), await pressed(true)]).toEqual([1, 0]);
  },
);

test('[CHAT3, CHAT4] whoever answers too fast loses nothing of a form: its last message can be sent again', async () => {
  const submit: CardAction = { action: 'submit', label: 'Answer', ticket: 's', needsValues: true };
  const fields = ['a', 'b'].map((id) => ({ id, type: 'text' as const, label: id }));
  const form: Card = { ...open, kind: 'input', actions: [submit], form: { fields } };
  const busy: ChatReply = { isDone: false, code: 'rate_limited', text: 'Slow down.' };
  const { press, write, given, texts } = stage({ cards: Array(8).fill(form), replies: [busy] });
  await press('f:submit:s');
  await write('first');
  await write('second');
  expect(texts.at(-1)).toBe('Slow down.');
  await write('second');
  expect(given.at(-1)).toEqual({ ticket: 's', action: 'submit', values: { a: 'first', b: 'second' } });
  expect(texts.some((text) => text.startsWith('Submitted.'))).toBe(true);
});

test('[CHAT3, CHAT4] a form that cannot be read for a moment, because its person did much elsewhere, is not over', async () => {
  const submit: CardAction = { action: 'submit', label: 'Answer', ticket: 's', needsValues: true };
  const fields = ['a', 'b'].map((id) => ({ id, type: 'text' as const, label: id }));
  const form: Card = { ...open, kind: 'input', actions: [submit], form: { fields } };
  const busy: ChatReply = { isDone: false, code: 'rate_limited', text: 'Slow down.' };
  const { press, write, given, texts } = stage({ cards: [form, form, form, form, busy, ...Array(4).fill(form)] });
  await press('f:submit:s');
  await write('first');
  await write('second');
  expect(texts.at(-1)).toBe('Slow down.');
  await write('second');
  expect(given).toEqual([{ ticket: 's', action: 'submit', values: { a: 'first', b: 'second' } }]);
});

test('[CHAT4] whoever sent what was skipped learns it', async () => {
  const { desk, texts } = stage({});
  const message = { message_id: 8, date: 1, chat, from, text: 'no' };
  await desk.excuse({ update_id: 1, message } as Update, 'internal');
  await desk.excuse({ update_id: 2, message } as Update, 'retry_later');
  expect(texts).toEqual([expect.stringContaining('could not be stored'), expect.stringContaining('cannot be decided')]);
});
