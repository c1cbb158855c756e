import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type CDPSession,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { browserFlags } from '../../../scripts/chromium.mjs';
import { makeContentPolicy } from '../../server/src/http/content-policy.ts';
import type { Gallery } from './gallery.ts';

declare global {
  interface Window {
    gallery: Gallery;
  }
}

/** Where build-pages.mjs writes the pages. */
const pages = fileURLToPath(new URL('dist', import.meta.url));

const mediaTypes: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Launches the headless shell if there is one: it needs half the CPU time. With flags, the test gets a browser of its own. */
export function launchBrowser(...flags: string[]): Promise<Browser> {
  return launch(process.env.CHROMIUM_SHELL || process.env.CHROMIUM, process.env.PARLEY_SHELL_ENDPOINT, flags);
}

/** Launches the full browser that people use, for tests of what it blocks, and for pictures. */
export function launchWholeBrowser(...flags: string[]): Promise<Browser> {
  return launch(process.env.CHROMIUM, process.env.PARLEY_CHROMIUM_ENDPOINT, flags);
}

/**
 * All test files share the browsers that scripts/vitest-setup.mjs launches; each sees only its own contexts, and its `close`
 * closes only these.
 */
function launch(executablePath = '', endpoint = '', flags: readonly string[]): Promise<Browser> {
  if (endpoint && flags.length === 0) return chromium.connect(endpoint);
  return chromium.launch({ executablePath, args: [...browserFlags, ...flags] });
}

/** Opens a page in a new context; an error or policy violation in it fails the test. */
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1180, height: 820 },
    serviceWorkers: 'block',
    ...options,
  });
  return openTab(await context.newPage(), url);
}

/** Opens another page with the same log-in in a window of its own, because a background tab renders only once a second. */
export async function openWindow(context: BrowserContext): Promise<Page> {
  const [first] = context.pages();
  const browser = context.browser();
  if (!first || !browser) return context.newPage();
  const [ofBrowser, ofPage] = await Promise.all([browser.newBrowserCDPSession(), context.newCDPSession(first)]);
  const { browserContextId } = (await ofPage.send('Target.getTargetInfo')).targetInfo;
  const url = 'about:blank';
  const [page] = await Promise.all([
    context.waitForEvent('page'),
    ofBrowser.send('Target.createTarget', { url, newWindow: true, ...(browserContextId && { browserContextId }) }),
  ]);
  await Promise.all([ofBrowser.detach(), ofPage.detach()]);
  return page;
}

export async function openTab(page: Page, url: string): Promise<Page> {
  await watchFaults(page, (fault) => expect.unreachable(fault));
  await page.goto(url);
  return page;
}

/** Gives the device of a page an authenticator, which verifies its person without asking. */
export async function addAuthenticator(page: Page): Promise<{ device: CDPSession; authenticatorId: string }> {
  const device = await page.context().newCDPSession(page);
  await device.send('WebAuthn.enable');
  const { authenticatorId } = await device.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  return { device, authenticatorId };
}

/**
 * Waits for a button and presses it until it disappears: the page ignores a press right after the buttons have moved, and
 * people press again (SEC5).
 */
export async function pressUntilGone(button: Locator): Promise<void> {
  await button.waitFor();
  await expect
    .poll(
      async () => {
        await button.click({ timeout: 1000 }).catch(() => undefined); // gone, or not enabled yet
        return button.isVisible();
      },
      { timeout: 30_000 },
    )
    .toBe(false);
}

/** Reports uncaught errors and violations of the content security policy (SEC3). */
export async function watchFaults(page: Page, onFault: (fault: string) => void): Promise<void> {
  page.on('pageerror', (error) => onFault(error.stack ?? error.message));
  page.on('console', (message) => {
    if (/content security policy|trusted ?(type|html|script)/i.test(message.text())) onFault(message.text());
  });
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) => {
      console.error(`Content Security Policy: ${effectiveDirective} ${blockedURI} ${sample}`);
    });
  });
}

/** Serves the gallery to the tests of a file, each of which gets pages of its own. @returns a function that opens one */
export function useGallery(): (options?: BrowserContextOptions) => Promise<Page> {
  let browser: Browser;
  let site: Awaited<ReturnType<typeof serveGallery>>;
  beforeAll(async () => {
    [browser, site] = await Promise.all([launchBrowser(), serveGallery()]);
  });
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  });
  afterAll(async () => {
    await browser.close();
    await site.close();
  });
  return (options) => openPage(browser, site.url, options);
}

/** Reads a file of a test page built by scripts/ensure.mjs, and adds the server's own content security policy. */
export async function readPage(page: string, url: string) {
  const path = normalize(new URL(url, 'http://local').pathname);
  const body = await readFile(join(pages, basename(page, '.html'), path)).catch(() => undefined);
  const contentType = mediaTypes[extname(path)] ?? 'application/octet-stream';
  const headers = { 'content-type': contentType, 'content-security-policy': makeContentPolicy() };
  return { status: body ? 200 : 404, headers, body };
}

/** Serves a test page. */
export async function serveGallery(page = 'test/gallery.html'): Promise<{ url: string; close(): Promise<void> }> {
  const server: Server = createServer(async (request, response) => {
    const { status, headers, body } = await readPage(page, request.url ?? '/');
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/${page}`,
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
