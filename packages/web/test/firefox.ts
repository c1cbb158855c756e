import puppeteer, { type Browser, type ElementHandle, type Page, Puppeteer } from 'puppeteer-core';
import { expect, vi } from 'vitest';

/** Launches Firefox as people install it. Playwright supports only its own build, so this uses WebDriver BiDi. */
export function launchFirefox(): Promise<Browser> {
  return puppeteer.launch({ browser: 'firefox', executablePath: process.env.FIREFOX ?? '', headless: true });
}

/** Finds controls by their names, through all shadow roots: `::-p-named(Allow once)`. */
Puppeteer.registerCustomQueryHandler('named', {
  queryOne: (root, name) => {
    const nameOf = (element: HTMLElement) => {
      const [label] = (element as HTMLInputElement).labels ?? [];
      return (element.getAttribute('aria-label') ?? label?.textContent ?? element.textContent ?? '').trim();
    };
    const find = (node: Node, controls: string): Element | null => {
      const element = node as HTMLElement;
      const isReady = element.matches?.(controls) && !element.matches(':disabled, .inert') && element.checkVisibility();
      if (isReady && nameOf(element).startsWith(name)) return element;
      const roots = [...(element.shadowRoot?.children ?? []), ...(element.children ?? [])];
      for (const child of roots) {
        const found = find(child, controls);
        if (found) return found;
      }
      return null;
    };
    return find(root, 'input, textarea') ?? find(root, 'button, a, summary');
  },
});

/** Polls for an element: the driver's own waiting does not notice changes in shadow roots. */
const find = (page: Page, selector: string): Promise<ElementHandle> =>
  vi.waitFor(
    async () => {
      const found = await page.$(selector);
      if (!found) throw new Error(`The page has no ${selector}`);
      return found as ElementHandle;
    },
    { timeout: 20_000, interval: 50 },
  );

export const named = (page: Page, name: string): Promise<ElementHandle> => find(page, `::-p-named(${name})`);

export const text = (page: Page, words: string): Promise<ElementHandle> => find(page, `::-p-text(${words})`);

/**
 * Clicks a control when it no longer moves: the driver computes its position first, and what was just typed may move it in the
 * next frame.
 */
export async function press(page: Page, name: string): Promise<void> {
  const control = await named(page, name);
  await control.evaluate(async (element) => {
    const place = () => JSON.stringify((element as Element).getBoundingClientRect());
    for (let still = 0, last = ''; still < 2; still = place() === last ? still + 1 : 0) {
      last = place();
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  });
  await control.click();
}

/** Replaces the content of a field. */
export async function fill(page: Page, name: string, words: string): Promise<void> {
  const field = await named(page, name);
  await field.evaluate((element) => (element as HTMLInputElement).select());
  await field.focus();
  await page.keyboard.type(words);
}

/** Opens a page; an error in it fails the test. */
export async function openFirefoxTab(page: Page, url: string): Promise<Page> {
  page.on('pageerror', (error) => {
    const { message } = error as Error;
    if (!message.startsWith('downloadable font')) expect.unreachable(message); // a reload aborts the downloads of fonts
  });
  await page.setViewport({ width: 1180, height: 820 });
  await page.bringToFront(); // pages in the background get no animation frames
  await page.goto(url);
  return page;
}
