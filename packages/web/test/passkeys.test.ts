import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Tab } from '../../server/test/support/tab.ts';
import { findViolations } from './axe.ts';
import { addAuthenticator, launchBrowser, openPage } from './browser.ts';
import { Parley } from './parley.ts';

const plugin = fileURLToPath(new URL('plugins/vault.mjs', import.meta.url));
let browser: Browser;
let parley: Parley;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-passkeys-'));
  const config = join(folder, 'parley.config.json');
  await writeFile(config, JSON.stringify({ stepUp: 'high' }));
  [browser, parley] = await Promise.all([launchBrowser(), new Parley('--config', config, '--plugin', plugin).start()]);
});
afterAll(async () => {
  await browser.close();
  await parley.stop();
  await rm(folder, { recursive: true });
});

/** A page of a new person, whose device has an authenticator. */
async function enter(name: string) {
  const url = await parley.urlFor('operator', '--name', name);
  const token = new URL(url).hash.replace('#token=', '');
  const page = await openPage(browser, url);
  const { device, authenticatorId } = await addAuthenticator(page);
  const tab = await Tab.open(`ws://${new URL(parley.url).host}/ws`, { hello: { token } });
  const session = await tab.createSession();
  await tab.follow(session);
  return { page, device, authenticatorId, tab, session };
}

const verify = (device: CDPSession, authenticatorId: string, isUserVerified: boolean) =>
  device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });

async function openDevices(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Devices' }).click();
}

async function addPasskey(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page
    .getByRole('button', { name: /^Remove / })
    .first()
    .waitFor();
}

const open = (page: Page, session: string) => page.goto(`${new URL(parley.url).origin}/s/${session}`);
const answersOf = (tab: Tab, session: string) =>
  tab.events(session).filter(({ type }) => type === 'interaction_response') as { payload: { assertion?: object } }[];

test('[SIGN2] a person adds, renames and removes passkeys in the page', async () => {
  const { page } = await enter('Ann');
  await openDevices(page);
  await page.getByText('You have none.').waitFor();
  await addPasskey(page);
  const passkeys = page.locator('parley-own-passkeys');
  expect(await passkeys.locator('li').innerText()).toContain('never used');
  expect(await passkeys.locator('li').innerText()).toMatch(/SHA256:[\w+/]{43}/);
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: /^Rename / }).click();
  await page.getByLabel('Name of the passkey').fill('My laptop');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Remove My laptop' }).waitFor();
  await page.getByRole('button', { name: 'Add a passkey' }).click(); // the device has one for this person
  await page.getByText('This device has a passkey for you here already.').waitFor();
  await page.getByRole('button', { name: 'Remove My laptop' }).click();
  await page.getByText('You have none.').waitFor();
  expect(await passkeys.getByRole('heading').evaluate((it) => it.matches(':focus'))).toBe(true);
  await page.context().close();
});

test('[SIGN2] pressing Allow asks for the passkey, and the log holds the assertion; the keyboard works, too', async () => {
  const { page, tab, session } = await enter('Bob');
  await openDevices(page);
  await addPasskey(page);
  await tab.say(session, '/call vault_open {}');
  await open(page, session);
  await page.getByText('Needs your passkey').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('heading', { name: 'Open the vault?' }).focus();
  await expect.poll(() => page.getByRole('button', { name: 'Allow once' }).isEnabled()).toBe(true);
  await page.keyboard.press('2');
  await page.keyboard.press('Enter');
  await page.locator('.receipt').getByText('Allowed once').waitFor();
  const [event] = answersOf(tab, session);
  expect(event?.payload.assertion).toMatchObject({ origin: new URL(parley.url).origin });
  const { seq } = await tab.say(session, '/call vault_form {}');
  await tab.prompt(session, seq);
  await page.getByLabel('Door', { exact: true }).fill('7');
  await page.getByLabel('PIN').fill('8461');
  await page.getByRole('button', { name: 'Submit' }).click();
  await expect.poll(() => answersOf(tab, session).length).toBe(2);
  expect(answersOf(tab, session)[1]?.payload.assertion).toBeDefined();
  await page.context().close();
});

test('[SIGN2] without the person the card says why, keeps what was typed, and can be pressed again', async () => {
  const { page, device, authenticatorId, tab, session } = await enter('Cy');
  await openDevices(page);
  await addPasskey(page);
  await verify(device, authenticatorId, false);
  await tab.say(session, '/call vault_form {}');
  await open(page, session);
  await page.getByLabel('Door', { exact: true }).fill('7');
  const submit = page.getByRole('button', { name: 'Submit' });
  await submit.click();
  await page.getByText('Nothing was signed').waitFor({ timeout: 30_000 });
  expect(await page.getByLabel('Door', { exact: true }).inputValue()).toBe('7');
  expect(answersOf(tab, session)).toEqual([]);
  await verify(device, authenticatorId, true);
  await submit.click();
  await expect.poll(() => answersOf(tab, session).length).toBe(1);
  await page.context().close();
});

test('[SIGN2] somebody without a passkey is offered to add one, and can say no without', async () => {
  const { page, tab, session } = await enter('Dan');
  const { seq } = await tab.say(session, '/call vault_open {}');
  const prompt = await tab.prompt(session, seq);
  await open(page, session);
  const allow = page.getByRole('button', { name: 'Allow once' });
  await expect.poll(() => allow.isEnabled()).toBe(true);
  await allow.dblclick();
  await page.getByRole('dialog').getByText('You have none.').waitFor();
  await addPasskey(page);
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByText('add one first').waitFor();
  expect(answersOf(tab, session)).toEqual([]);
  await page.getByRole('button', { name: 'Deny' }).click();
  await tab.event(session, 'interaction_response', ({ payload }) => payload.interactionId === prompt.interactionId);
  expect(answersOf(tab, session)[0]?.payload).not.toHaveProperty('assertion');
  await page.context().close();
});

test('[SIGN2] at an address that is only numbers the page says which one to open', async () => {
  const url = new URL(await parley.urlFor('operator', '--name', 'Eve'));
  url.hostname = '127.0.0.1';
  const page = await openPage(browser, url.href);
  await openDevices(page);
  await page.getByText('Write localhost in place of 127.0.0.1').waitFor();
  expect(await page.getByRole('button', { name: 'Add a passkey' }).count()).toBe(0);
  await page.context().close();
});

test('[SIGN2] in the inbox, too', async () => {
  const { page, tab, session } = await enter('Flo');
  await openDevices(page);
  await addPasskey(page);
  await tab.say(session, '/call vault_open {}');
  await tab.prompt(session);
  await page.goto(`${new URL(parley.url).origin}/inbox`);
  await page.getByText('Open the vault?').first().click();
  const allow = page.getByRole('button', { name: 'Allow once' }).first();
  await expect.poll(() => allow.isEnabled()).toBe(true);
  await allow.click();
  await expect.poll(() => answersOf(tab, session).length).toBe(1);
  expect(answersOf(tab, session)[0]?.payload.assertion).toBeDefined();
  await page.context().close();
});
