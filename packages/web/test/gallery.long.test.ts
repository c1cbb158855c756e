import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { launchBrowser, launchWholeBrowser } from './browser.ts';
import { openGallery } from './gallery/open.ts';
import { pictured } from './gallery/variants.ts';
import { lookAtAll } from './gallery/walk.ts';

/**
 * Layout, focus and names at each size, the rest where it can differ: a tablet has the controls of a desk, at twice its size
 * those of a phone, and colours are the same everywhere.
 */
test.concurrent.each([
  // gallery.test.ts compares the dark pictures of phones
  {
    variant: { width: 390, scheme: 'light' } as const,
    launch: launchBrowser,
    looks: [findViolations, lookEnlarged, leaveLayer],
  },
  { variant: pictured.tablet, launch: launchWholeBrowser, looks: [lookInForcedColours] },
  {
    variant: pictured.desk,
    launch: launchWholeBrowser,
    looks: [findViolations, lookInTheDark, lookEnlarged, leaveLayer],
  },
])(
  '[WEB5] every state at $variant.width px: layout, focus, names, and axe, dark, forced colours, 200 % or closed layers',
  { timeout: 1_200_000 }, // a loaded machine needs several times as long
  async ({ variant, launch, looks }) => {
    const gallery = await openGallery(launch);
    const found = await lookAtAll(gallery, variant, ...looks).finally(() => gallery.close());
    expect([...found, ...gallery.faults].join('\n')).toBe('');
  },
);

function findViolations(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => window.states.proofs.findViolations());
}

async function lookInTheDark(page: Page): Promise<readonly string[]> {
  await page.emulateMedia({ colorScheme: 'dark' });
  const faults = await page.evaluate(async () => {
    await window.states.rest();
    return window.states.proofs.checkColours('dark');
  });
  await page.emulateMedia({ colorScheme: 'light' });
  return faults;
}

async function lookInForcedColours(page: Page): Promise<readonly string[]> {
  await page.emulateMedia({ forcedColors: 'active' });
  const faults = await page.evaluate(() => window.states.proofs.checkForcedColours());
  await page.emulateMedia({ forcedColors: 'none' });
  return faults;
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
