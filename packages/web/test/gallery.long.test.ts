import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Gallery, openGallery } from './gallery/open.ts';
import { findFaults, findFocusFault, findViolations } from './gallery/proofs.ts';
import { lookAtAll } from './gallery/walk.ts';

/** Half as much room as a laptop has: what a reader sees who enlarges everything to 200 %. */
const enlarged = { width: 720, height: 450 };

let gallery: Gallery;

beforeAll(async () => {
  gallery = await openGallery();
});

afterAll(() => gallery.close());

test('[WEB5] every state at a desk, dark, in forced colours, on a tablet and enlarged: contrast, focus, as it was accepted', {
  timeout: 240_000,
}, async () => {
  const found = await lookAtAll(gallery, { width: 1440, scheme: 'dark' }, async (page) => {
    const size = page.viewportSize() ?? { width: 0, height: 0 };
    const seen = [...(await findFaults(page)), ...(await findViolations(page, ['color-contrast']))];
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
