import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, openPage, serveGallery } from './browser.ts';

let browser: Browser;
let site: Awaited<ReturnType<typeof serveGallery>>;

beforeAll(async () => {
  [browser, site] = await Promise.all([launchBrowser(), serveGallery()]);
});

afterAll(async () => {
  await browser.close();
  await site.close();
});

test('[RPL4] a transcript of 10,000 events opens at its end, and can be read in full', async () => {
  const page = await openPage(browser, site.url);
  const newest = await page.evaluate(() => window.gallery.openLong(10_000));
  expect(newest.ms).toBeLessThan(2000); // the target is 200 ms on an idle machine
  await page.getByText('Answer 9999').waitFor();
  await page.evaluate(() => {
    location.hash = '#e1';
  });
  await page.getByText('Answer 0 with').waitFor();
  await page.context().close();
});

test('[RPL4] the first load stays small and contains no schemas', () => {
  const dist = new URL('../dist/', import.meta.url);
  const page = readFileSync(new URL('index.html', dist), 'utf8');
  const paths = [...page.matchAll(/<(?:script[^>]* src|link rel="modulepreload"[^>]* href)="\/([^"]+)"/g)];
  const scripts = paths.map(([, path = '']) => readFileSync(new URL(path, dist), 'utf8'));
  const bytes = scripts.map((script) => gzipSync(script, { level: 9 }).length).reduce((sum, size) => sum + size, 0);
  expect(scripts.join('')).not.toContain('_zod');
  expect(bytes).toBeLessThan(60_000);
});
