import type { Card } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { draw } from './draw.ts';

/** The longest card that the server offers to answer. */
const longest: Card = {
  ...{ state: 'open', kind: 'approval', session: 's'.repeat(200), tool: 't'.repeat(200), title: 'T'.repeat(200) },
  ...{ prompt: 'p'.repeat(600), subject: { kind: 'command', text: 'x'.repeat(2500), isCode: true }, risk: 'medium' },
  ...{ expiresAt: '2026-03-01T12:00:00.000Z', note: 'Whoever asked did not wait. You can still answer.' },
  comments: { count: 2, by: 'b'.repeat(60), text: 'c'.repeat(200) },
  actions: [{ action: 'approve', label: 'Allow once', ticket: 'a' }],
  ...{
    ticket: 'k',
    url: 'http://localhost/s/00000000-0000-4000-8000-000000000000/00000000-0000-4000-8000-000000000000',
  },
};

const labelsOf = (card: Card) =>
  draw(card)
    .reply_markup.inline_keyboard.flat()
    .map(({ text }) => text);

test('[CHAT3] a long card leaves out its comments, and never what one consents to', () => {
  const { text } = draw(longest);
  expect(text.length).toBeLessThanOrEqual(4096);
  expect(text).toContain('x'.repeat(2500));
  expect(text).not.toContain('ccc');
  expect(labelsOf(longest)).toContain('Allow once');
});

test('[CHAT3] a message that has no room for the subject offers no answer', () => {
  const card = { ...longest, url: `http://localhost/${'x'.repeat(600)}` };
  expect(draw(card).text.length).toBeLessThanOrEqual(4096);
  expect(labelsOf(card)).not.toContain('Allow once');
});

test('[CHAT3] a card names the tool that asks', () => {
  expect(draw({ ...longest, tool: 'send_mail' }).text).toContain('Tool: send_mail');
});
