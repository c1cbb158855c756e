import type { Card, ChatReply, Json, ListenHost } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { Desk } from './desk.ts';
import type { Slack } from './slack.ts';

const user = { id: 'UANN', team_id: 'T1' };

/** A desk whose server gives these replies; `done` is what it did, in order. */
function stage(replies: { readonly card?: ChatReply; readonly snooze?: ChatReply }) {
  const done: string[] = [];
  const take = (name: string, reply: ChatReply | undefined) => async () => {
    done.push(name);
    return reply ?? { isDone: true, text: '' };
  };
  const host = {
    card: take('card', replies.card),
    snooze: take('snooze', replies.snooze),
    answer: take('answer', undefined),
    redraw: async (_: Json, __: Card, draw: () => unknown) => void (await draw()),
  } as unknown as ListenHost;
  const slack = { change: take('change', undefined), whisper: take('whisper', undefined) } as unknown as Slack;
  const desk = new Desk(host, slack, 'T1');
  const handle = (body: object) =>
    desk.handle({ type: 'interactive', body }, async () => {
      done.push('acknowledge');
    });
  return { handle, done };
}

test('[CHAT3, CHAT4] a form whose fields cannot be read now is not sent empty', async () => {
  const { handle, done } = stage({ card: { isDone: false, code: 'rate_limited', text: 'Slow down.' } });
  const view = { private_metadata: JSON.stringify({ ticket: 't', action: 'submit' }), state: { values: {} } };
  const response = await handle({ type: 'view_submission', user, view });
  expect(response).toMatchObject({ response_action: 'update', view: { blocks: [{ text: { text: 'Slow down.' } }] } });
  expect(done).toEqual(['card']);
});

test('[CHAT3, CHAT4] what was written in a form stays there if its person has to wait a moment', async () => {
  const { handle } = stage({ card: { isDone: false, code: 'rate_limited', text: 'Slow down.' } });
  const values = { reason: { reason: { value: 'a long text' } } };
  const view = { private_metadata: JSON.stringify({ ticket: 't', action: 'deny' }), state: { values } };
  const response = await handle({ type: 'view_submission', user, view });
  expect(response).toEqual({ response_action: 'errors', errors: { reason: 'Slow down.' } });
});

test('[CHAT4] postponing is acknowledged when it is stored, before the message is changed', async () => {
  const card = { state: 'snoozed' } as Card;
  const { handle, done } = stage({ snooze: { isDone: true, text: '', card } });
  await handle({
    ...{ type: 'block_actions', user, container: { channel_id: 'D1', message_ts: '1' } },
    actions: [{ action_id: 'later-0', selected_option: { value: '10 t' } }],
  });
  expect(done).toEqual(['snooze', 'acknowledge', 'change']);
});
