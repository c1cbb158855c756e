import axe from 'axe-core';
import type { Page } from 'playwright-core';

/**
 * Returns what axe finds on a page without frames: each rule with the elements that break it. It runs in the page itself, because
 * `@axe-core/playwright` opens another page each time, which takes four times as long.
 */
export async function findViolations(page: Page): Promise<string[]> {
  if (page.frames().length > 1) throw new Error('This check does not look into frames.');
  const isLoaded = await page.evaluate(() => 'axe' in window);
  if (!isLoaded) await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    const { violations } = await axe.run(document, { resultTypes: ['violations'] });
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(' | ')}`,
    );
  });
}
