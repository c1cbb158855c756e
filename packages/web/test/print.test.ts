import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, openTab } from './browser.ts';
import { Parley } from './parley.ts';

let browser: Browser;
let parley: Parley;
beforeAll(async () => {
  [browser, parley] = await Promise.all([launchBrowser(), new Parley('--no-auth').start()]);
});
afterAll(async () => {
  await browser.close();
  await parley.stop();
});

test('[WEB5] a session is printed as a whole, in light colours, without lists and buttons', async () => {
  const text = Array.from({ length: 90 }, (_, n) => `step ${n}`).join('\n');
  let sessionId = '';
  for (const title of ['First?', 'Second?', 'Third?']) {
    const response = await fetch(new URL('/api/calls', parley.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        channel: 'print',
        callId: title.replace('?', ''),
        toolName: 'request_approval',
        args: { title, subject: { kind: 'text', text } },
        from: { name: 'Build 812' },
      }),
    });
    sessionId = ((await response.json()) as { sessionId: string }).sessionId;
  }
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'dark' });
  const page = await openTab(await context.newPage(), new URL(`/s/${sessionId}`, parley.url).href);
  await page.getByRole('article', { name: 'Third?' }).getByRole('button', { name: 'Deny' }).waitFor();
  const pdf = await page.pdf({ format: 'A4' });
  expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length).toBeGreaterThanOrEqual(5); // each text fills more than one
  await page.emulateMedia({ media: 'print' });
  await expect.poll(() => page.getByRole('button', { name: /^(?:Deny|Allow once|Show all)$/ }).count()).toBe(0);
  expect(await page.locator('parley-search').isVisible()).toBe(false);
  expect(await page.getByRole('heading', { name: 'Build 812' }).isVisible()).toBe(true);
  const colours = await page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor);
  expect(colours).toBe('rgb(251, 251, 250)');
  for (const title of ['First?', 'Second?', 'Third?']) {
    const box = page.getByRole('article', { name: title }).locator('.box');
    expect(await box.evaluate((it) => it.scrollHeight <= it.clientHeight + 1)).toBe(true);
  }
  await page.emulateMedia({ media: 'screen' });
  await page.getByRole('article', { name: 'Third?' }).getByRole('button', { name: 'Deny' }).waitFor();
  await context.close();
});
