import { AxeBuilder } from '@axe-core/playwright';
import type { FormSchema } from '@parleyhq/core';
import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { useGallery } from './browser.ts';
import { input } from './samples.ts';

const openGallery = useGallery();
let page: Page;

beforeEach(async () => {
  page = await openGallery();
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
