import type { InteractionRequest, Notification } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { Tickets } from '../../src/auth/ticket.ts';
import { makeCardTicket } from '../../src/extensions/notifications/card-ticket.ts';
import { targetOf } from '../../src/extensions/notifications/chat-target.ts';
import { makeOneTimeLink } from '../../src/extensions/notifications/one-time-link.ts';
import { makePushKeys } from '../../src/extensions/notifications/push-keys.ts';
import { ann, ChatStage, deploy } from '../support/chat-stage.ts';

test('[SIGN2, CHAT3] a chat offers no button for what demands a passkey, says so with the link, and is refused if it answers', async () => {
  const keys = makePushKeys();
  const stage = await ChatStage.begin({
    stepUp: { tools: ['as?'] },
    reach: { keys, notifiers: [{ notifier: 'fakechat' }] },
  });
  await stage.linkAnn();
  const { journey, prompt } = await stage.ask(deploy);
  const { card } = await stage.chat.card(prompt.interactionId);
  const url = `http://localhost:${stage.server.port}/s/${journey.session}/${prompt.interactionId}`;
  expect(card).toMatchObject({ actions: [], note: expect.stringContaining('needs your passkey'), url });
  const [link] = await stage.server.store.links.list();
  const tickets = new Tickets(keys.sealKey, stage.server.server.epoch);
  const place = { target: targetOf(link as never), sessionId: journey.session, request: prompt };
  const press = (code: 'a' | 'd', action: string) =>
    stage.chat.host.answer({ ticket: makeCardTicket(tickets, place, code), action } as never, ann);
  const refused = await press('a', 'approve'); // as if the message had had the button
  expect(refused).toMatchObject({ isDone: false, code: 'step_up_required', text: expect.stringContaining(url) });
  expect(await press('d', 'deny')).toMatchObject({ isDone: true });
});

test('[SIGN2, NTF3] a prompt that demands a passkey has no one-time link', () => {
  const tickets = new Tickets('c2VjcmV0', 'e-1');
  const target = { id: 'mail:ann', principal: { id: 'ann', role: 'responder' } } as const;
  const news = { sessionId: 's', count: 1, url: 'https://parley.example/s/s' } as Notification;
  const prompt = { interactionId: 'c.1', toolCallId: 'c', digest: 'd' } as InteractionRequest;
  expect(makeOneTimeLink(tickets, target, { news, prompt })).toContain('/once#');
  expect(makeOneTimeLink(tickets, target, { news, prompt: { ...prompt, stepUp: true } })).toBeUndefined();
});
