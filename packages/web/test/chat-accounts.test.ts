import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BotApi, botToken } from '../../../plugins/telegram/test/bot-api.ts';
import { findViolations } from './axe.ts';
import { launchBrowser, openPage } from './browser.ts';
import { Parley } from './parley.ts';

const api = new BotApi();
let browser: Browser;
let parley: Parley;
let folder: string;
beforeAll(async () => {
  await api.start();
  folder = await mkdtemp(join(tmpdir(), 'parley-chat-'));
  const config = join(folder, 'parley.config.json');
  const notifier = { notifier: 'telegram', config: { token: botToken, apiRoot: api.url } };
  await writeFile(config, JSON.stringify({ notifiers: [notifier] }));
  [browser, parley] = await Promise.all([launchBrowser(), new Parley('--config', config).start()]);
});
afterAll(async () => {
  await browser.close();
  await parley.stop();
  await api.remove();
  await rm(folder, { recursive: true });
});

test('[CHAT2] the page makes a code, says until when and how it is sent, lists the linked account, and ends the link', async () => {
  const page = await openPage(browser, parley.url);
  const open = async () => {
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('button', { name: 'Devices' }).click();
  };
  await open();
  await page.getByRole('button', { name: 'Link an account' }).click();
  const accounts = page.locator('parley-chat-accounts');
  const code = await accounts.locator('code').innerText();
  expect(code).toMatch(/^[0-9a-z]{16}$/);
  const words = await accounts.getByRole('status').innerText();
  expect(words).toMatch(/It works once, until .*\d/);
  expect(words).toContain(`Telegram: Send /start ${code} to the bot, in a private chat.`);
  expect(await findViolations(page)).toEqual([]);

  api.write({ id: 1001, name: 'Ann' }, `/start ${code}`);
  await api.message(({ text }) => text.includes('is linked to owner'));
  await page.getByRole('button', { name: 'Close' }).click();
  await open();
  const end = page.getByRole('button', { name: 'End link of Ann' });
  await end.waitFor();
  expect(await accounts.locator('li').innerText()).toContain('Telegram: Ann · since');
  expect(await accounts.locator('code').count()).toBe(0);
  await end.click();
  await end.waitFor({ state: 'detached' });
  expect(await accounts.getByRole('heading').evaluate((it) => it.matches(':focus'))).toBe(true);
  const account = { id: 1001, name: 'Ann' };
  api.write(account, '/unlink');
  await api.message(({ text }) => text.includes('not linked to anybody'));
  await page.context().close();
});
