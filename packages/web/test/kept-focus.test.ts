import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { useGallery } from './browser.ts';

const openGallery = useGallery();
let page: Page;

beforeEach(async () => {
  page = await openGallery();
});

const hasFocus = (name: string, role: 'log' | 'textbox') =>
  page.getByRole(role, { name }).evaluate((element) => element.matches(':focus'));

test('[WEB5] a button of the conversation that disappears when pressed leaves the focus in the conversation', async () => {
  await page.evaluate(() => window.gallery.openLong(150));
  await page.getByRole('log').evaluate((element) => element.scrollTo(0, 600));
  await page.getByRole('button', { name: 'Latest' }).press('Enter');
  await page.getByRole('button', { name: 'Latest' }).waitFor({ state: 'detached' });
  expect(await hasFocus('Conversation', 'log')).toBe(true);
});

test('[WEB5] Escape in the message box leads to the conversation; it does not while an input method composes', async () => {
  const box = page.getByRole('textbox', { name: 'Message' });
  await box.focus();
  await box.dispatchEvent('keydown', { key: 'Escape', isComposing: true });
  expect(await hasFocus('Message', 'textbox')).toBe(true);
  await page.keyboard.press('Escape');
  expect(await hasFocus('Conversation', 'log')).toBe(true);
});

test('[WEB5] editing the arguments of a prompt starts in the field', async () => {
  await page.evaluate(() => window.gallery.ask('c.1', { title: 'Deploy?', editable: true }, { to: 'production' }));
  const edit = page.getByRole('button', { name: 'Edit the arguments' });
  await expect.poll(() => edit.isEnabled()).toBe(true);
  await edit.press('Enter');
  await page.getByRole('textbox', { name: /^The arguments/ }).waitFor();
  await expect
    .poll(() => page.getByRole('textbox', { name: /^The arguments/ }).evaluate((each) => each.matches(':focus')))
    .toBe(true);
});

test('[WEB3] the buttons of an approval are a group under its question', async () => {
  await page.evaluate(() => window.gallery.ask('c.1', { title: 'Deploy?' }));
  const group = page.getByRole('group', { name: 'Your answer: Deploy?' });
  await group.getByRole('button', { name: 'Allow once' }).waitFor();
  await group.getByRole('button', { name: 'Deny' }).waitFor();
});
