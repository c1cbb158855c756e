import axe from 'axe-core';
import type { Page } from 'playwright-core';
import type { Gallery } from './open.ts';
import { comparePicture, takePicture } from './pictures.ts';
import { contextOf, nameVariant, type Variant } from './variants.ts';

/** Shows each state in one page, and collects what `look` finds, beginning with its picture: the proofs move the focus. */
export async function lookAtAll(
  gallery: Gallery,
  variant: Variant,
  look: (page: Page) => Promise<readonly string[]>,
): Promise<string[]> {
  const page = await gallery.open(contextOf(variant));
  await page.evaluate(axe.source);
  const found: string[] = [];
  for (const name of await page.evaluate(() => window.states.names)) {
    await page.evaluate((name) => window.states.show(name), name);
    const changed = await comparePicture(await takePicture(page), name, nameVariant(variant));
    if (changed) found.push(changed);
    found.push(...(await look(page)).map((fault) => `${name}: ${fault}`));
  }
  await page.context().close();
  return found;
}
