import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { makeContentPolicy } from '../../server/src/http/content-policy.ts';
import type { Gallery } from './gallery.ts';

declare global {
  interface Window {
    gallery: Gallery;
  }
}

const root = fileURLToPath(new URL('..', import.meta.url));

const mediaTypes: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** A browser without windows, where there is one: it takes half the processor time. */
export function launchBrowser(...flags: string[]): Promise<Browser> {
  return launch(process.env.CHROMIUM_SHELL || process.env.CHROMIUM, flags);
}

/** The browser that people have, for tests of what it keeps pages from, and for pictures. */
export function launchWholeBrowser(...flags: string[]): Promise<Browser> {
  return launch(process.env.CHROMIUM, flags);
}

function launch(executablePath: string | undefined, flags: readonly string[]): Promise<Browser> {
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'];
  return chromium.launch({
    executablePath: executablePath ?? '',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', ...quiet, ...flags],
  });
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

/** One more page with the same log-in, in a window of its own: a tab behind another one is drawn once a second. */
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

/** Reports uncaught errors and violations of the content security policy (SEC3). */
export async function watchFaults(page: Page, onFault: (fault: string) => void): Promise<void> {
  page.on('pageerror', (error) => onFault(error.message));
  page.on('console', (message) => {
    if (/content security policy|trusted ?(type|html|script)/i.test(message.text())) onFault(message.text());
  });
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) => {
      console.error(`Content Security Policy: ${effectiveDirective} ${blockedURI} ${sample}`);
    });
  });
}

/** Serves the gallery to the tests of a file, each of which gets pages of its own. @returns opens one */
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

/** Builds a page for tests and serves it with the server's own content security policy. */
export async function serveGallery(page = 'test/gallery.html'): Promise<{ url: string; close(): Promise<void> }> {
  const outDir = await mkdtemp(join(tmpdir(), 'parley-gallery-'));
  await build({
    root,
    configFile: join(root, 'vite.config.ts'),
    logLevel: 'error', // the page's own build warns
    mode: 'test', // nothing is compressed
    build: { outDir, emptyOutDir: true, rolldownOptions: { input: join(root, page) } },
  });
  const server: Server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://local').pathname);
    const body = await readFile(join(outDir, path)).catch(() => undefined);
    const type = mediaTypes[extname(path)] ?? 'application/octet-stream';
    response
      .writeHead(body ? 200 : 404, { 'content-type': type, 'content-security-policy': makeContentPolicy() })
      .end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/${page}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await rm(outDir, { recursive: true });
    },
  };
}
