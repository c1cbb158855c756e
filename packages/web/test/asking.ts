import type { Page } from 'playwright-core';
import { beforeEach } from 'vitest';
import { useGallery } from './browser.ts';

/** Opens a new gallery before each test. @returns what the test asks in it, and what was answered */
export function useAsking() {
  const openGallery = useGallery();
  let page: Page;

  beforeEach(async () => {
    page = await openGallery();
  });

  const ask = (id: string, part: object, args = {}) =>
    page.evaluate(([id, part, args]) => window.gallery.ask(id, part, args), [id, part, args] as const);
  return {
    page: () => page,
    ask,
    answers: () =>
      page.evaluate(() =>
        window.gallery
          .answers()
          .map(({ action, input, reason }) => ({ action, ...(input && { input }), ...(reason && { reason }) })),
      ),
    box: () => page.getByLabel('Message', { exact: true }),
    /** Stops the page's clock; from here on it moves only when the test runs it. */
    async holdTime(): Promise<void> {
      await page.clock.install();
      await page.clock.pauseAt(Date.now() + 60_000);
    },
    /** Asks, and waits for the card, which renders only when the clock moves. */
    async askHeld(id: string, part: object): Promise<void> {
      await ask(id, part);
      await page.clock.runFor(100);
      await page.locator(`[id="${id}"] article`).waitFor();
    },
  };
}
