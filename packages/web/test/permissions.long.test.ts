import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { findViolations } from './axe.ts';
import { launchBrowser, openTab, openWindow } from './browser.ts';
import { Parley } from './parley.ts';

let browser: Browser;
let parley: Parley;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  const server = new Parley('--no-auth', '--plugin', 'packages/web/test/plugins/publish.mjs');
  [browser, parley] = await Promise.all([launchBrowser(), server.start()]);
});

beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 1180, height: 820 } });
  page = await openTab(await context.newPage(), parley.url);
});

afterEach(() => context.close());

afterAll(async () => {
  await browser.close();
  await parley.stop();
});

async function say(text: string, tab = page): Promise<void> {
  await tab.getByLabel('Message', { exact: true }).fill(text);
  await tab.getByLabel('Message', { exact: true }).press('Enter');
}

const call = (tool: string, args: object) => `/call ${tool} ${JSON.stringify(args)}`;
const returned = (words: string, tab = page) =>
  tab.getByText(`returned: "${words}"`, { exact: false }).last().waitFor();
const panel = (tab = page) => tab.getByRole('dialog', { name: 'What runs without asking' });
const grants = (tab = page) => panel(tab).getByRole('listitem');

/** Presses a button with a key, once its misclick guard allows it (SEC5). */
async function allow(name: string, within: Page | ReturnType<Page['locator']> = page): Promise<void> {
  const button = within.getByRole('button', { name });
  const more = within.getByRole('button', { name: 'More ways to allow' });
  await button.or(more).first().waitFor();
  if (!(await button.isVisible())) await more.click();
  await button.waitFor();
  await button.evaluate((it) => {
    const actions = (it.getRootNode() as ShadowRoot).host;
    (actions.getRootNode() as ShadowRoot).host.scrollIntoView({ block: 'center' }); // everything must have been in view (WEB7)
  });
  await expect
    .poll(
      async () => {
        if ((await button.count()) === 0) return 0;
        const isReady = await button.isEnabled({ timeout: 500 }).catch(() => false); // the button may have been removed
        if (isReady) await button.press('Enter', { timeout: 500 }).catch(() => undefined);
        return button.count();
      },
      { interval: 100, timeout: 20_000 },
    )
    .toBe(0);
}

/** Opens the wider consents: the first press may miss them while a new card still moves. */
async function openMore(): Promise<void> {
  const more = page.getByRole('button', { name: 'More ways to allow' });
  const isOpen = async () => (await more.getAttribute('aria-expanded')) === 'true';
  await expect
    .poll(async () => {
      if (!(await isOpen())) await more.click();
      return isOpen();
    })
    .toBe(true);
}

const hasFocus = (element: ReturnType<Page['locator']>) => element.evaluate((it) => it.matches(':focus'));

/** Opens the dialog from the top bar, or on a phone from its menu. */
async function openPanel(tab = page): Promise<void> {
  if ((tab.viewportSize()?.width ?? 0) < 768) await tab.getByRole('button', { name: 'More', exact: true }).click();
  await tab.getByRole('button', { name: /^Permissions/ }).click();
  await panel(tab).waitFor();
}

async function openSecondTab(): Promise<Page> {
  await page.waitForURL(/\/s\//);
  return openTab(await openWindow(context), page.url());
}

test('[APR4, WEB5] grants are listed in words; a revoked one disappears from every tab, and its tool asks again', async () => {
  await say(call('publish', { name: 'today' }));
  await openMore();
  await page.getByText('Allows until somebody revokes it, always').waitFor();
  await allow('Always allow');
  await returned('today: yes');
  await say(call('publish', { name: 'a while' }));
  await openMore();
  await page.getByText('for 10 minutes, in this session').waitFor();
  await allow('Allow for session');
  await returned('a while: yes');

  const other = await openSecondTab();
  await Promise.all([openPanel(), openPanel(other)]);
  await expect.poll(() => grants(other).count()).toBe(2);
  const own = await grants().filter({ hasText: 'Publish a while?' }).innerText();
  expect(own).toMatch(/Allows what publish asks for as publish a while\./);
  expect(own).toMatch(/By you, .*not used yet · until /);
  await panel().getByText('Always allowed, in every session').waitFor();
  await panel().getByRole('button', { name: 'Close' }).click();
  await say(call('publish', { name: 'today' }));
  await returned('today: yes');
  const lasting = grants(other).filter({ hasText: 'Publish today?' });
  await lasting.getByText(/By .*used once/).waitFor();

  await openPanel();
  await panel().getByRole('button', { name: 'Revoke: Publish today?' }).click();
  await panel().getByText('Revoked. You will be asked again.').waitFor();
  await expect.poll(() => grants(other).allInnerTexts()).toEqual([expect.stringContaining('a while')]);
  await panel().getByRole('button', { name: 'Revoke: Publish a while?' }).click();
  await panel(other).getByText('Nothing is allowed for longer than one time.').waitFor();
  await panel().getByRole('button', { name: 'Close' }).click();
  await say(call('publish', { name: 'today' }));
  await page.getByRole('button', { name: 'Deny' }).click();
});

test('[APR4, WEB5] by keyboard alone: an approval, its receipt, its grant, and back', async () => {
  await say(call('checked', { name: 'keys' }));
  await page.getByRole('button', { name: 'More ways to allow' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('n');
  const forSession = page.getByRole('button', { name: 'Allow for session' });
  await expect
    .poll(async () => {
      await page.keyboard.press('3'); // disabled for the first 500 ms
      return hasFocus(forSession);
    })
    .toBe(true);
  await page.getByText('checked with exactly these arguments').first().waitFor();
  await page.keyboard.press('Enter');
  await returned('keys ran');
  await page.locator('.receipt summary').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const grant = grants().filter({ hasText: 'Allows checked with exactly these arguments.' });
  await expect.poll(() => hasFocus(grant)).toBe(true);
  expect(await grant.locator('pre').innerText()).toContain('"name": "keys"');
  await page.keyboard.press('Tab');
  await expect.poll(() => hasFocus(grant.locator('summary'))).toBe(true);
  while (!(await hasFocus(grant.getByRole('button', { name: 'Revoke: checked' })))) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await panel().getByText('Revoked').waitFor();
  await expect.poll(() => grant.count()).toBe(0);
  await page.keyboard.press('Escape');
  await panel().waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'What this allows' }).press('Enter');
  await panel().getByText('That approval no longer applies').waitFor();
});

test('[APR2, APR3] arguments edited at a policy’s prompt are what runs; invalid ones are asked for again', async () => {
  await say(call('checked', { name: 'theirs' }));
  await page.getByRole('button', { name: 'Edit the arguments' }).click();
  await page.getByLabel('Arguments (').fill('{"name": 7}');
  const once = page.getByRole('button', { name: 'Allow once' });
  await expect.poll(() => once.isEnabled()).toBe(true);
  await once.press('Enter'); // a click this soon after the field opened might be a misclick
  await page.getByText('attempt 2').waitFor();
  expect(JSON.parse(await page.getByLabel('Arguments (').inputValue())).toEqual({ name: 7 });
  await page.getByLabel('Arguments (').fill('{"name": "mine"}');
  await allow('Allow once');
  await returned('mine ran');
});

test('[APR3] the mode can be changed while a tool waits; bypassing takes two steps and is marked everywhere', async () => {
  await say(call('checked', { name: 'first' }));
  await page.getByRole('button', { name: 'Deny' }).waitFor();
  const other = await openSecondTab();
  await openPanel();
  await panel().getByRole('radio', { name: 'Plan only' }).check();
  await panel().getByRole('button', { name: 'Change to “Plan only”' }).click();
  await panel().getByText('From the next call: Plan only.').waitFor();
  await other.getByRole('button', { name: 'Permissions: Plan only' }).waitFor();
  expect(await page.getByRole('button', { name: 'Deny' }).count()).toBe(1);

  await panel().getByRole('radio', { name: 'Never ask' }).check();
  const stop = panel().getByRole('button', { name: 'Stop asking in this session' });
  expect(await stop.isDisabled()).toBe(true);
  await other.getByRole('button', { name: 'Permissions: Plan only' }).waitFor();
  await panel().getByRole('checkbox', { name: 'Nobody will be asked' }).check();
  await stop.click();
  await panel().getByRole('button', { name: 'Close' }).click();
  for (const tab of [page, other]) {
    await tab.getByRole('button', { name: 'Permissions: Never ask' }).waitFor();
    await tab.getByText('Tools in this session run without asking').waitFor();
    await tab.getByRole('link', { name: /never asks/ }).waitFor();
    await tab.getByText('Permission mode: Never ask').waitFor();
  }
  await page.getByRole('button', { name: 'Deny' }).click();
  await say(call('checked', { name: 'second' }));
  await returned('second ran');
  await other.setViewportSize({ width: 390, height: 800 });
  await other.getByRole('button', { name: 'Ask again' }).click();
  await page.getByRole('button', { name: 'Permissions: Ask first' }).waitFor();
  await page.getByText('Tools in this session run without asking').waitFor({ state: 'detached' });
});

test('[APR5] late answers of a joint answer are reported, and the reason reaches the agent', async () => {
  let isHeld = false;
  const held: (() => void)[] = [];
  const slow = await openWindow(context);
  await slow.routeWebSocket(/\/ws$/, (line) => {
    const server = line.connectToServer();
    line.onMessage((text) => server.send(text));
    server.onMessage((text) => (isHeld ? held.push(() => line.send(text)) : line.send(text)));
  });
  await openTab(slow, parley.url);
  const names = [{ name: 'one' }, { name: 'two' }, { name: 'three' }, { name: 'four', timeoutMs: 5000 }];
  await say(names.map((args) => call('publish', args)).join('\n'), slow);
  await slow.getByText('4 approvals are open').waitFor();
  isHeld = true;
  await openTab(page, slow.url());
  const second = page.locator('parley-card').filter({ hasText: 'Publish two?' });
  await allow('Allow once', second);
  await page.getByText('Nobody answered in time').waitFor();

  await slow.getByRole('button', { name: 'Review together' }).click();
  await slow.getByLabel('Reason for all of them').fill('Not this week.');
  await slow.getByRole('button', { name: 'Deny 4' }).click();
  await page.getByText('Not this week.').first().waitFor();
  isHeld = false;
  for (const release of held) release();
  const report = slow.locator('.report');
  await report.getByText('2 of 4 denied.').waitFor();
  await report.getByText('Publish two? — somebody else answered first').waitFor();
  await report.getByText('Publish four? — its time ran out').waitFor();
  for (const words of [
    'one: Not this week.',
    'two: yes',
    'three: Not this week.',
    'four: Nobody allowed this in time.',
  ])
    await slow.getByText(`publish returned: "${words}"`).waitFor();
  await slow.getByRole('button', { name: 'Close this report' }).click();
  expect(await report.count()).toBe(0);
});

test.each([1180, 390])('[WEB5] axe finds no violations in the permissions: %i px', async (width) => {
  await page.setViewportSize({ width, height: 820 });
  for (const [tool, scope] of [
    ['publish', 'Allow for session'],
    ['checked', 'Always allow'],
  ] as const) {
    await say(call(tool, { name: `${tool} ${width}` }));
    await allow(scope);
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
  }
  await openPanel();
  await panel().getByRole('radio', { name: 'Never ask' }).check();
  await expect.poll(() => grants().count()).toBeGreaterThan(1);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' }); // colours change at once
    expect(await findViolations(page)).toEqual([]);
    if (process.env.SHOTS)
      await page.screenshot({ path: `${process.env.SHOTS}/permissions-${colorScheme}-${width}.png` });
  }
  const overflow = await panel().evaluate((it) => it.scrollWidth - it.clientWidth);
  expect(overflow).toBeLessThanOrEqual(0);
  await panel().getByRole('button', { name: 'Revoke: checked' }).first().click();
  await panel().getByText('Revoked').waitFor();
});
