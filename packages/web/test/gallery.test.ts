import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Gallery, openGallery } from './gallery/open.ts';
import { comparePicture, takePicture } from './gallery/pictures.ts';
import { findFaults, findFocusFault, findViolations } from './gallery/proofs.ts';
import { contextOf, nameVariant, type Variant } from './gallery/variants.ts';

const phone: Variant = { width: 390, scheme: 'light' };
const desk: Variant = { width: 1440, scheme: 'dark' };
/** Half as much room as a laptop has: what a reader sees who enlarges everything to 200 %. */
const enlarged = { width: 720, height: 450 };

let gallery: Gallery;

beforeAll(async () => {
  gallery = await openGallery();
});

afterAll(() => gallery.close());

/** Shows each state in one page, and collects what `look` finds. */
async function lookAtAll(
  variant: Variant,
  look: (page: Page, name: string) => Promise<readonly string[]>,
): Promise<string[]> {
  const page = await gallery.open(contextOf(variant));
  await page.evaluate(axe.source);
  const found: string[] = [];
  for (const name of await page.evaluate(() => window.states.names)) {
    await page.evaluate((name) => window.states.show(name), name);
    found.push(...(await look(page, name)).map((fault) => `${name}: ${fault}`));
  }
  await page.context().close();
  return found;
}

/** The picture is taken first: the proofs move the focus. */
const compare = async (page: Page, name: string, variant: Variant) => {
  const fault = await comparePicture(await takePicture(page), name, nameVariant(variant));
  return fault === undefined ? [] : [fault];
};

test('[WEB5] every state on a phone: no violation, nothing clipped or small, room for fingers, as it was accepted', {
  timeout: 240_000,
}, async () => {
  const found = await lookAtAll(phone, async (page, name) => [
    ...(await compare(page, name, phone)),
    ...(await findFaults(page)),
    ...(await findViolations(page)),
  ]);
  expect(found).toEqual([]);
  expect(gallery.faults).toEqual([]);
});

test('[WEB5] every state at a desk, dark, in forced colours, on a tablet and enlarged: contrast, focus, as it was accepted', {
  timeout: 240_000,
}, async () => {
  const found = await lookAtAll(desk, async (page, name) => {
    const size = page.viewportSize() ?? { width: 0, height: 0 };
    const seen = [
      ...(await compare(page, name, desk)),
      ...(await findFaults(page)),
      ...(await findViolations(page, ['color-contrast'])),
    ];
    const focus = await findFocusFault(page);
    await page.emulateMedia({ forcedColors: 'active' });
    const forced = await findFaults(page);
    await page.emulateMedia({ forcedColors: 'none' });
    await page.setViewportSize({ width: 820, height: 760 });
    const tablet = await findFaults(page);
    await page.setViewportSize(enlarged);
    const large = await findFaults(page);
    await page.setViewportSize(size);
    const say = (where: string, faults: readonly string[]) => faults.map((fault) => `${where}: ${fault}`);
    return [
      ...seen,
      ...(focus ? [focus] : []),
      ...say('forced colours', forced),
      ...say('820 px', tablet),
      ...say('200 %', large),
    ];
  });
  expect(found).toEqual([]);
  expect(gallery.faults).toEqual([]);
});
