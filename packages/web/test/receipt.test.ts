import { AxeBuilder } from '@axe-core/playwright';
import type { FormSchema } from '@parleyhq/core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { launchBrowser, openPage, serveGallery } from './browser.ts';
import { input } from './samples.ts';

let browser: Browser;
let site: Awaited<ReturnType<typeof serveGallery>>;
let page: Page;

beforeAll(async () => {
  [browser, site] = await Promise.all([launchBrowser(), serveGallery()]);
});

beforeEach(async () => {
  page = await openPage(browser, site.url);
});

afterEach(() => page.context().close());

afterAll(async () => {
  await browser.close();
  await site.close();
});

const libraries: FormSchema = {
  type: 'form',
  submitLabel: 'Save',
  fields: [
    {
      id: 'library',
      type: 'radio',
      label: 'Which library?',
      options: ['dayjs', 'luxon', 'moment'].map((value) => ({ value, label: value })),
      other: true,
    },
  ],
};

test('[RPL3, AGT3] an answered card shows all options, and marks the chosen one', async () => {
  await page.evaluate((part) => window.gallery.ask('c.1', part), input(libraries) as object);
  await page.getByText('luxon', { exact: true }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('.receipt summary').click();
  const choices = page.locator('.receipt .choices li');
  expect((await choices.allTextContents()).map((words) => words.trim())).toEqual([
    'Not chosen: dayjs',
    'Chosen: luxon',
    'Not chosen: moment',
  ]);
  expect(await page.locator('.receipt .choices li:has(svg)').innerText()).toContain('luxon');
  expect(await page.locator('.receipt .choices li:has(svg)').count()).toBe(1);
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id }) => id)).toEqual([]);
});
