import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { useGallery } from './browser.ts';
import { everyField, input, oneField } from './samples.ts';

const openGallery = useGallery();
let page: Page;

beforeEach(async () => {
  page = await openGallery({ timezoneId: 'Europe/Paris', locale: 'en-GB' });
});

const actions = [
  { id: 'back', label: 'Back', keepsInput: true },
  { id: 'skip', label: 'Skip <b>this</b>' },
];
const ask = (part: object) => page.evaluate((part) => window.gallery.ask('c.1', part), part);
const lastAnswer = () => page.evaluate(() => window.gallery.answers().at(-1));

test('[PLG11] Back sends the valid part of what was typed, and missing values of the form are no errors', async () => {
  await ask(input(everyField, { actions }));
  await page.getByRole('textbox', { name: 'Full name' }).fill('Ada');
  await page.getByRole('spinbutton', { name: 'Age' }).fill('200');
  await page.getByRole('button', { name: 'Back' }).click();
  await page.locator('.receipt').getByText('Back').waitFor();
  expect(await lastAnswer()).toMatchObject({ action: 'submit', button: 'back', input: { name: 'Ada' } });
  expect((await lastAnswer())?.input).not.toHaveProperty('age');
});

test('[PLG11, SEC5] a button without input answers by itself, and its label is text', async () => {
  await ask(input(everyField, { actions }));
  await page.getByRole('textbox', { name: 'Full name' }).fill('Ada');
  await page.getByRole('button', { name: 'Skip <b>this</b>' }).click();
  await page.locator('.receipt').getByText('Skip <b>this</b>').waitFor();
  const answer = await lastAnswer();
  expect(answer).toMatchObject({ action: 'submit', button: 'skip' });
  expect(answer).not.toHaveProperty('input');
});

test('[PLG11] a call shows which callbacks came from outside and which did not; its key is text', async () => {
  await page.evaluate(() => {
    window.gallery.startTurn();
    window.gallery.call('c', 'pay');
    const settle = (key: string, outcome: 'received' | 'timeout' | 'withdrawn') =>
      window.gallery.append({ type: 'callback_settled', payload: { toolCallId: 'c', key, outcome }, turnId: 't' });
    settle('<b>payment</b>', 'received');
    settle('refund', 'timeout');
    settle('receipt', 'withdrawn');
  });
  await page.getByText('<b>payment</b> came from outside').waitFor();
  await page.getByText('refund did not come in time').waitFor();
  await page.getByText('receipt is not needed any longer').waitFor();
});

test('[PLG11, WEB5] on a phone the main button ends its row, even if other buttons have taken the first', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  const more = [...actions, { id: 'later', label: 'Ask again tomorrow' }];
  await ask(input(oneField, { actions: more }));
  const [main, foot] = await Promise.all([
    page.getByRole('button', { name: 'OK' }).boundingBox(),
    page.locator('parley-form .actions').boundingBox(),
  ]);
  const endOf = (box: typeof main) => Math.round((box?.x ?? 0) + (box?.width ?? 0));
  expect(endOf(main)).toBe(endOf(foot));
});
