import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchWholeBrowser, readPage, watchFaults } from '../browser.ts';
import type { GalleryPage } from './page.ts';
import { serveGalleryViews } from './views.ts';

declare global {
  interface Window {
    states: GalleryPage;
  }
}

/** Pictures show the address of the page, so it must always be the same. */
const origin = 'http://parley.localhost';

const path = 'test/gallery/page.html';

/** The gallery in a browser. */
export interface Gallery {
  readonly faults: string[];
  open(options: BrowserContextOptions): Promise<Page>;
  close(): Promise<void>;
}

/** @param launch - the full browser by default, which pictures need */
export async function openGallery(launch: () => Promise<Browser> = launchWholeBrowser): Promise<Gallery> {
  const browser = await launch();
  const faults: string[] = [];
  return {
    faults,
    async open(options) {
      const context = await browser.newContext(options);
      await context.route(`${origin}/**`, async (route) => {
        const { body, ...rest } = await readPage(path, route.request().url());
        await route.fulfill({ ...rest, ...(body && { body }) });
      });
      await serveGalleryViews(context);
      const page = await context.newPage();
      await watchFaults(page, (fault) => faults.push(fault));
      await page.goto(`${origin}/${path}`);
      await page.waitForFunction(() => 'states' in window);
      return page;
    },
    close: () => browser.close(),
  };
}
