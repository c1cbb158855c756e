import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { launchBrowser, launchWholeBrowser } from './browser.ts';
import { openGallery } from './gallery/open.ts';
import { pictured, type Variant } from './gallery/variants.ts';
import { lookAtAll } from './gallery/walk.ts';

/** Beside the phone in the dark, which gallery.test.ts looks at. */
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
  '[WEB5] every state at $variant.width px, $variant.scheme: axe, layout, focus, names; but for a dark tablet also in forced colours, at 200 %, and once a layer is closed',
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
