import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findViolations } from './axe.ts';
import { useGallery } from './browser.ts';
import { approval, everyField, input, oneField } from './samples.ts';

const openGallery = useGallery();

/** Fills the gallery with every state of a card and every other kind of row. */
async function fill(page: Page): Promise<void> {
  await page.evaluate(
    (parts: string) => {
      const { gallery } = window;
      const [approval, every, one] = JSON.parse(parts);
      const close = (toolCallId: string, reason: 'timeout' | 'cancelled') =>
        gallery.append({
          type: 'interaction_closed',
          payload: { toolCallId, interactionId: `${toolCallId}.1`, reason },
        });
      gallery.startTurn('Please deploy this, and tell me how it went.');
      gallery.append(
        { type: 'thinking_done', payload: { block: 0, text: 'First I look.' }, turnId: 't1', responseId: 'r' },
        {
          type: 'assistant_done',
          payload: {
            block: 1,
            text: '## Plan\nI will `deploy` it:\n\n1. build\n2. ask\n\n```\nnpm run build\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |',
          },
          turnId: 't1',
          responseId: 'r',
        },
      );
      gallery.ask('done.1', approval);
      const answer = { toolCallId: 'done', interactionId: 'done.1', answerId: 'a', action: 'approve' } as const;
      gallery.append({
        type: 'interaction_response',
        payload: { ...answer, approvalScope: 'session', by: gallery.by },
      });
      gallery.append({
        type: 'tool_result',
        payload: { toolCallId: 'done', toolName: 'deploy', result: { ok: true } },
      });
      gallery.ask('late.1', one);
      close('late', 'timeout');
      gallery.ask('gone.1', { interactionType: 'url', title: 'Log in', url: 'http://example.org/login' });
      close('gone', 'cancelled');
      const failed = { toolCallId: 'gone', toolName: 'deploy', error: { code: 'cancelled', message: 'Cancelled.' } };
      gallery.append({ type: 'tool_result', payload: failed });
      gallery.append({ type: 'error', payload: { code: 'stream_restarted', message: 'The answer begins again.' } });
      const soon = new Date(Date.now() + 45_000).toISOString();
      gallery.ask('open.1', { ...approval, editable: true, expiresAt: soon }, { to: 'production' });
      gallery.ask('form.1', every);
      gallery.ask('again.1', { ...one, attempt: 2, error: 'Invalid', fieldErrors: { email: 'Invalid' } });
      gallery.ask('off.1', one);
      gallery.append({ type: 'interaction_expired', payload: { toolCallId: 'off', interactionId: 'off.1' } });
      gallery.ask('link.1', { interactionType: 'url', title: 'Log in', url: 'https://example.org/login?x=1' });
      const diff = ' same\n-old line\n+new line';
      gallery.ask('dock.1', {
        ...approval,
        presentation: 'composer',
        subject: { kind: 'diff', text: diff },
        risk: 'medium',
      });
      void gallery.client.open('s').send('And then this');
    },
    JSON.stringify([approval, input(everyField), input(oneField)]),
  );
  await page.getByText('And then this').waitFor();
  await page.waitForTimeout(700); // until the misclick guard lets presses through
}

test.each([
  ['light', 1180],
  ['dark', 1180],
  ['light', 390],
  ['dark', 390],
] as const)('[WEB5] axe finds no violations in any state: %s, %i px', async (colorScheme, width) => {
  const page = await openGallery({ colorScheme, viewport: { width, height: 5000 } });
  await fill(page);
  expect(await findViolations(page)).toEqual([]);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${colorScheme}-${width}.png` });
});

test('[WEB5] reduced motion is honoured', async () => {
  const page = await openGallery({ reducedMotion: 'reduce' });
  await page.evaluate(() => window.gallery.startTurn());
  const dot = page.locator('.typing i').first();
  await dot.waitFor();
  expect(await dot.evaluate((element) => getComputedStyle(element).animationName)).toBe('none');
});
