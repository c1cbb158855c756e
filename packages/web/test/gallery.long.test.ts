import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { launchBrowser, launchWholeBrowser } from './browser.ts';
import { openGallery } from './gallery/open.ts';
import { pictured, type Variant } from './gallery/variants.ts';
import { lookAtAll } from './gallery/walk.ts';

/** All variants except the dark phone, which gallery.test.ts covers. */
const others: readonly Variant[] = [
  { width: 390, scheme: 'light' },
  { width: 820, scheme: 'dark' },
  { width: 1440, scheme: 'dark' },
];

test.each([
  { variant: pictured.tablet, launch: launchWholeBrowser },
  { variant: pictured.desk, launch: launchWholeBrowser },
  ...others.map((variant) => ({ variant, launch: launchBrowser })),
])(
  '[WEB5] every state at $variant.width px, $variant.scheme: axe, layout, focus, names; except on a dark tablet, also in forced colours, at 200 %, and after a layer is closed',
  { timeout: 600_000 },
  async ({ variant, launch }) => {
    const gallery = await openGallery(launch);
    onTestFinished(() => gallery.close());
    const isClose = variant.scheme === 'light' || variant.width === 1440;
    const found = await lookAtAll(gallery, variant, isClose ? lookClosely : undefined);
    expect([...found, ...gallery.faults].join('\n')).toBe('');
  },
);

async function lookClosely(page: Page): Promise<readonly string[]> {
  await page.emulateMedia({ forcedColors: 'active' });
  const forced = await page.evaluate(() => window.states.proofs.checkForcedColours());
  await page.emulateMedia({ forcedColors: 'none' });
  return [...forced, ...(await lookEnlarged(page)), ...(await leaveLayer(page))];
}

/** At twice the size, only half the space is left. */
async function lookEnlarged(page: Page): Promise<readonly string[]> {
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  await page.setViewportSize({ width: Math.round(width / 2), height: Math.round(height / 2) });
  const faults = await page.evaluate(async () => {
    await window.states.rest(); // parts with a new position may fade in
    return window.states.proofs.checkSize('200 %');
  });
  await page.setViewportSize({ width, height });
  return faults;
}

/** Checks that closing a menu or dialog returns the focus to the control that opened it. */
async function leaveLayer(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate(() => window.states.enterLayer()))) return [];
  await page.keyboard.press('Escape');
  const isNowhere = await page.evaluate(async () => {
    await window.states.rest();
    return window.states.proofs.isFocusNowhere();
  });
  return isNowhere ? ['closed, the focus is nowhere'] : [];
}
