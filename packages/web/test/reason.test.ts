import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { useGallery } from './browser.ts';
import { approval } from './samples.ts';

const openGallery = useGallery();
let page: Page;

beforeEach(async () => {
  page = await openGallery();
});

const ask = (part: object) =>
  page.evaluate((part) => window.gallery.ask('c.1', part), { ...approval, ...part } as object);
const answers = () =>
  page.evaluate(() => window.gallery.answers().map(({ action, reason }) => ({ action, reason: reason ?? '' })));

test('[TEAM5] the card asks for a required reason, and sends nothing without one', async () => {
  await ask({ reasonRequired: ['deny'] });
  const field = page.getByLabel('Reason (the agent reads it; needed to deny)');
  await field.waitFor();
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByText('Please give a reason.').waitFor();
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  expect(await field.evaluate((it) => it.matches(':focus'))).toBe(true);
  expect(await answers()).toEqual([]);
  await field.fill('Not on a Friday.');
  expect(await field.getAttribute('aria-invalid')).toBeNull();
  await page.getByRole('button', { name: 'Deny' }).click();
  await expect.poll(answers).toEqual([{ action: 'deny', reason: 'Not on a Friday.' }]);
});

test('[TEAM5] if only a denial needs a reason, an approval is sent without', async () => {
  await ask({ reasonRequired: ['deny'] });
  await page.getByRole('button', { name: 'Allow once' }).click();
  await expect.poll(answers).toEqual([{ action: 'approve', reason: '' }]);
});

test('[TEAM5, WEB9] if the card asks for the reason, words from the message box become it', async () => {
  await ask({ reasonRequired: ['deny'] });
  const field = page.getByLabel('Reason (the agent reads it; needed to deny)');
  await page.getByLabel('Message', { exact: true }).fill('Not on a Friday.');
  await page.getByRole('button', { name: 'Use as the reason' }).click({ delay: 600 });
  await expect.poll(() => field.inputValue()).toBe('Not on a Friday.');
  expect(await answers()).toEqual([]);
});

test('[TEAM5] a reason over the limit is kept whole, with an error', async () => {
  await ask({ reasonRequired: ['deny'] });
  const field = page.getByLabel('Reason (the agent reads it; needed to deny)');
  await field.fill('x'.repeat(10_001));
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByText('Must have at most 10000 characters.').waitFor();
  expect(await field.inputValue()).toHaveLength(10_001);
  expect(await answers()).toEqual([]);
});

test('[REV2] a card whose program takes words only with a denial says so, and its yes does not count comments', async () => {
  await ask({ wordsOnlyWithDenial: true });
  await page.getByRole('button', { name: 'Add a reason' }).click();
  await page.getByLabel('Reason (the agent reads it only if you deny)').waitFor();
  await page.getByRole('button', { name: 'Comment on lines' }).click();
  await page.getByRole('button', { name: /^Line 1:/ }).click();
  await page.getByRole('textbox', { name: 'comment on line 1' }).fill('Not this.');
  await page.getByText('The agent reads comments only if you deny.').waitFor();
  await page.getByRole('button', { name: 'Deny with 1 comment' }).waitFor();
  expect(await page.getByRole('button', { name: /^Allow once/ }).innerText()).not.toContain('comment');
});

test('[WEB9] a reason that is still in the message box goes with the answer', async () => {
  await ask({});
  const box = page.getByLabel('Message', { exact: true });
  await box.fill('Not on a Friday.');
  await page.getByText('Reason for: Deploy to production?').waitFor();
  await page.getByRole('button', { name: 'Deny' }).click();
  await expect.poll(answers).toEqual([{ action: 'deny', reason: 'Not on a Friday.' }]);
  expect(await box.inputValue()).toBe('');
});

test('[REV6] a picture that is pasted on a card whose answer takes words only is refused with a reason', async () => {
  await ask({ approvalScopes: ['once'], decide: { approve: 2 } });
  const heading = page.getByRole('heading', { name: 'Deploy to production?' });
  await heading.evaluate((element) => {
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File(['x'], 'image.png', { type: 'image/png' }));
    const init = { bubbles: true, cancelable: true, composed: true, clipboardData };
    element.dispatchEvent(new ClipboardEvent('paste', init));
  });
  await page.getByRole('alert').getByText('This answer takes words only.').waitFor();
});
