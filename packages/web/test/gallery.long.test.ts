import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Gallery, openGallery } from './gallery/open.ts';
import { nameVariant, variants } from './gallery/variants.ts';
import { lookAtAll } from './gallery/walk.ts';

let gallery: Gallery;

beforeAll(async () => {
  gallery = await openGallery();
});

afterAll(() => gallery.close());

test.each(variants.map((variant) => ({ variant, name: nameVariant(variant) })))(
  '[WEB5] every state at $name, from right to left, in forced colours and enlarged: axe, layout, focus, names, as it was accepted',
  { timeout: 600_000 },
  async ({ variant }) => {
    expect((await lookAtAll(gallery, variant, lookClosely)).join('\n')).toBe('');
    expect(gallery.faults).toEqual([]);
  },
);

async function lookClosely(page: Page): Promise<readonly string[]> {
  await page.emulateMedia({ forcedColors: 'active' });
  const forced = await page.evaluate(() => window.states.proofs.checkForcedColours());
  await page.emulateMedia({ forcedColors: 'none' });
  return [...forced, ...(await lookEnlarged(page)), ...(await leaveLayer(page))];
}

/** Twice as large, there is half as much room. */
async function lookEnlarged(page: Page): Promise<readonly string[]> {
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  await page.setViewportSize({ width: Math.round(width / 2), height: Math.round(height / 2) });
  const faults = await page.evaluate(async () => {
    await window.states.rest(); // what has another place now may fade in there
    return window.states.proofs.checkSize('200 %');
  });
  await page.setViewportSize({ width, height });
  return faults;
}

/** Whoever closes a menu or dialog is where they were. */
async function leaveLayer(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate(() => window.states.enterLayer()))) return [];
  await page.keyboard.press('Escape');
  const isNowhere = await page.evaluate(async () => {
    await window.states.rest();
    return window.states.proofs.isFocusNowhere();
  });
  return isNowhere ? ['closed, the focus is nowhere'] : [];
}
