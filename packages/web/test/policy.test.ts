import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, watchFaults } from './browser.ts';
import { Parley } from './parley.ts';

let browser: Browser;
let parley: Parley;
let page: Page;
const faults: string[] = [];

beforeAll(async () => {
  [browser, parley] = await Promise.all([launchBrowser(), new Parley('--no-auth').start()]);
  page = await browser.newPage();
  await watchFaults(page, (fault) => faults.push(fault));
  await page.goto(parley.url);
});

afterAll(async () => {
  await browser.close();
  await parley.stop();
});

test('[SEC3] the policy allows the page its own files and WebSocket, and nothing else', async () => {
  const { headers } = await fetch(parley.url);
  expect(headers.get('content-security-policy')?.split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "frame-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types lit-html parley-worker',
  ]);
  expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  await page.getByRole('heading', { name: 'What should the agent do?' }).waitFor();
  expect(faults).toEqual([]);
});

/** What an injected script could try. */
const attempts: readonly (readonly [directive: string, attempt: () => unknown])[] = [
  ['require-trusted-types-for', () => Object.assign(document.createElement('p'), { innerHTML: '<b>x</b>' })],
  ['require-trusted-types-for', () => Object.assign(document.createElement('script'), { text: 'document.title = 1' })],
  ['trusted-types', () => Reflect.get(window, 'trustedTypes').createPolicy('mine', {})],
  ['style-src', () => document.body.append(Object.assign(document.createElement('style'), { textContent: '*{}' }))],
  ['img-src', () => Object.assign(new Image(), { src: 'http://127.0.0.1:9/x.png' })],
  ['connect-src', () => fetch('http://127.0.0.1:9/').catch(() => undefined)],
  ['connect-src', () => new WebSocket('ws://127.0.0.1:9/')],
  [
    'frame-src',
    () => document.body.append(Object.assign(document.createElement('iframe'), { src: 'https://example.com/' })),
  ],
  [
    'base-uri',
    () => document.head.append(Object.assign(document.createElement('base'), { href: 'http://127.0.0.1:9/' })),
  ],
  [
    'form-action',
    () => {
      const form = Object.assign(document.createElement('form'), { action: '/healthz' });
      document.body.append(form);
      form.submit();
    },
  ],
];

test.each(attempts)('[SEC3] a violation of %s has no effect, and is reported', async (directive, attempt) => {
  faults.length = 0;
  const url = page.url();
  await page.evaluate(`void (() => { try { (${attempt})() } catch {} })()`);
  await expect.poll(() => faults.some((fault) => fault.includes(directive))).toBe(true);
  expect(page.url()).toBe(url);
});
