import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { findViolations } from './axe.ts';
import { useGallery } from './browser.ts';
import { approval } from './samples.ts';

const rules = [
  {
    id: 'prefix',
    label: '`npm test` with any arguments, in /app',
    key: ['npm', 'test'],
    scopes: ['session', 'always'],
  },
];
const openGallery = useGallery();
let page: Page;

beforeEach(async () => {
  page = await openGallery();
  await page.evaluate((part) => window.gallery.ask('c.1', part, { command: 'npm test' }), {
    ...approval,
    approvalScopes: ['once'],
    editable: true,
    rules,
  } as object);
});

const words = 'Allow `npm test` with any arguments, in /app, in this session';
const lastAnswer = () => page.evaluate(() => window.gallery.answers().at(-1));

test('[APR7] the card offers rules with their exact words, and the receipt repeats them', async () => {
  const names = async () =>
    (await page.locator('parley-approval [data-answer]').allInnerTexts()).map((name) => name.trim());
  await expect
    .poll(names)
    .toEqual(['Deny', 'Allow once', words, words.replace('in this session', 'always, in every session')]);
  await page.getByRole('button', { name: 'More ways to allow' }).click();
  const rule = page.getByRole('button', { name: words });
  await expect.poll(() => rule.isEnabled()).toBe(true);
  await rule.press('Enter');
  await page.getByText('Allowed for this session: `npm test` with any arguments, in /app').waitFor();
  expect(await lastAnswer()).toMatchObject({
    action: 'approve',
    approvalScope: 'session',
    ruleId: 'prefix',
    digest: 'digest-c.1',
  });
});

test('[APR7, WEB5] the keyboard reaches a rule, which is disabled at first like every approval', async () => {
  await page.getByRole('heading', { name: 'Deploy to production?' }).focus();
  await expect.poll(() => page.getByRole('button', { name: 'Allow once' }).isEnabled()).toBe(true);
  await page.keyboard.press('3');
  const rule = page.getByRole('button', { name: words });
  await expect.poll(() => rule.evaluate((it) => it.matches(':focus'))).toBe(true);
  await page.keyboard.press('Enter');
  await page.getByText('Allowed for this session').waitFor();
  expect(await lastAnswer()).toMatchObject({ ruleId: 'prefix' });
});

test('[APR7] edited arguments are allowed by no rule', async () => {
  const more = page.getByRole('button', { name: 'More ways to allow' });
  await more.waitFor();
  await page.getByRole('button', { name: 'Edit the arguments' }).click();
  await more.waitFor({ state: 'detached' });
  expect(await page.getByRole('button', { name: words }).count()).toBe(0);
});

test('[WEB5] a card with rules passes the accessibility check', async () => {
  await page.getByRole('button', { name: 'More ways to allow' }).click();
  expect(await findViolations(page)).toEqual([]);
});
