import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchWholeBrowser, serveGallery, watchFaults } from '../browser.ts';
import type { GalleryPage } from './page.ts';
import { serveGalleryViews } from './views.ts';

declare global {
  interface Window {
    states: GalleryPage;
  }
}

/** Pictures show the address of the page, which is always the same. */
const host = 'parley.localhost';

/** The gallery in a browser. */
export interface Gallery {
  readonly faults: string[];
  open(options: BrowserContextOptions): Promise<Page>;
  close(): Promise<void>;
}

export async function openGallery(): Promise<Gallery> {
  const site = await serveGallery('test/gallery/page.html');
  const { port, pathname } = new URL(site.url);
  const browser: Browser = await launchWholeBrowser(`--host-resolver-rules=MAP ${host}:80 127.0.0.1:${port}`);
  const faults: string[] = [];
  return {
    faults,
    async open(options) {
      const context = await browser.newContext(options);
      await serveGalleryViews(context);
      const page = await context.newPage();
      await watchFaults(page, (fault) => faults.push(fault));
      await page.goto(`http://${host}${pathname}`);
      await page.waitForFunction(() => 'states' in window);
      return page;
    },
    async close() {
      await browser.close();
      await site.close();
    },
  };
}
