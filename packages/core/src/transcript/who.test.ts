import { expect, test } from 'vitest';
import { World } from '../../test/support/world.ts';
import { makeTranscript, renderMarkdown } from './index.ts';

test('[RPL5, TEAM2] an export names the person before the device, and the editors of a message', () => {
  const world = new World();
  const device = { clientId: 'tab', connectionId: 'c', transport: 'ws' };
  const from = { ...device, principal: 'ann', name: 'Ann', label: 'the owner' };
  const boss = { ...device, principal: 'boss', label: 'Ann' };
  world.send('first');
  world.accept({ type: 'send', message: { messageId: 'm', text: 'mine', origin: 'user', from } });
  const principal = { id: 'boss', role: 'operator' } as const;
  world.accept({ type: 'edit_queued', messageId: 'm', text: 'changed', by: boss, principal });
  world.endTurn();
  const session = { id: 's', title: 'S', createdAt: '2026-03-01T09:00:00.000Z' };
  const text = [...renderMarkdown(makeTranscript(session, world.log, '2026-03-01T10:00:00.000Z'))].join('');
  expect(text).toContain('By `Ann`, from `the owner` (client `tab`) over `ws`');
  expect(text).toContain('Changed by `boss`, from `Ann` (client `tab`) over `ws`');
});

test('[RPL5, REV6] an export names the files of a message', () => {
  const world = new World();
  const files = [{ fileId: 'f', name: 'log.txt', mediaType: 'text/plain', size: 3, sha256: '0'.repeat(64) }];
  world.accept({ type: 'send', message: { messageId: 'm', text: '', origin: 'user', files } });
  const session = { id: 's', title: 'S', createdAt: '2026-03-01T09:00:00.000Z' };
  const text = [...renderMarkdown(makeTranscript(session, world.log, '2026-03-01T10:00:00.000Z'))].join('');
  expect(text).toContain('Attached: `log.txt (3 bytes)`');
});

test('[RPL5, REV4] an export says which comments are of whoever asks, and which comment they answer', () => {
  const world = new World();
  const interactionId = world.ask();
  const { toolCallId } = world.promptOf(interactionId).request;
  const device = { clientId: 'tab', connectionId: 'c', transport: 'ws' };
  const prompt = { toolCallId, interactionId };
  const question = { commentId: 'a', text: 'Why `this`\nbranch?', by: { ...device, principal: 'ann' } };
  const reply = { commentId: 'b', text: 'It is the release.', by: { ...device, principal: 'ci' } };
  world.accept({ type: 'comment', comment: { ...prompt, ...question } });
  world.accept({ type: 'comment', comment: { ...prompt, ...reply, replyTo: 'a', isAskers: true } });
  const session = { id: 's', title: 'S', createdAt: '2026-03-01T09:00:00.000Z' };
  const text = [...renderMarkdown(makeTranscript(session, world.log, '2026-03-01T10:00:00.000Z'))].join('');
  expect(text).toContain('Comment by `ann`, from `tab` over `ws`');
  expect(text).toMatch(/Reply of whoever asks, by `ci`, .*, to `ann`: “``Why `this`…``”/);
});
