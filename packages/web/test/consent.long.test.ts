import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findViolations } from './axe.ts';
import { useGallery } from './browser.ts';
import { approval } from './samples.ts';

const openGallery = useGallery();

const lines = (count: number) => Array.from({ length: count }, (_, n) => `rm file-${n + 1}.txt`).join('\n');
const about = (text: string, part: object = {}) => ({ ...approval, subject: { kind: 'text', text }, ...part });
async function open(options: BrowserContextOptions): Promise<Page> {
  const page = await openGallery(options);
  page.setDefaultTimeout(10_000);
  return page;
}

const ask = (page: Page, id: string, part: object) =>
  page.evaluate(([id, part]) => window.gallery.ask(id, part), [id, part] as const);
const answers = (page: Page) =>
  page.evaluate(() => window.gallery.answers().map(({ interactionId, action }) => `${interactionId} ${action}`));
const allow = (page: Page) => page.getByRole('button', { name: 'Allow once' });

/** Counts the lines of the subject that can be seen: in its box, within the page, and not covered. */
const countLinesInView = (page: Page) =>
  page.locator('parley-subject pre').evaluate((pre) => {
    const isOnTop = (x: number, y: number) => {
      let hit = document.elementFromPoint(x, y);
      while (hit && hit !== pre) {
        const inner: Element | null = hit.shadowRoot?.elementFromPoint(x, y) ?? null;
        hit = inner === hit ? null : inner;
      }
      return hit === pre;
    };
    const { left, top, height } = pre.getBoundingClientRect();
    const lineHeight = Number.parseFloat(getComputedStyle(pre).lineHeight);
    const count = Math.round(height / lineHeight);
    return Array.from({ length: count }, (_, n) => top + (n + 0.5) * lineHeight).filter((y) => isOnTop(left + 20, y))
      .length;
  });

test('[WEB7, SEC12] Allow works only after the end of the subject was in view, at every size', async () => {
  const page = await open({});
  for (const [width, height] of [
    [1180, 820],
    [800, 730],
    [390, 664],
    [375, 553],
    [320, 568],
    [844, 390],
    [640, 360], // 1280 by 720 at 200 %
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.reload();
    await ask(page, 'c.1', about(lines(60)));
    await page.getByText('Read to the end to allow it.').waitFor();
    await page.locator('parley-subject').scrollIntoViewIfNeeded();
    await expect.poll(() => countLinesInView(page)).toBeGreaterThanOrEqual(4);
    const more = page.getByRole('button', { name: 'More ways to allow' });
    if (await more.isVisible()) await more.click();
    for (const name of ['Allow once', 'Allow for session', 'Always allow'])
      expect(await page.getByRole('button', { name }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Deny' }).isEnabled()).toBe(true);
    await page.locator('parley-subject .box').evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await page.locator('parley-subject .end').scrollIntoViewIfNeeded();
    await expect.poll(() => allow(page).isEnabled()).toBe(true);
    await page.getByText('Read to the end to allow it.').waitFor({ state: 'detached' });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/consent-${width}-${height}.png` });
  }
});

test('[WEB7, SEC12] text at the end of a question does not hide that it was in view', async () => {
  const page = await open({});
  const url = `http://127.0.0.1:7420/return?state=${'a'.repeat(200)}`;
  const link = { interactionType: 'url', title: 'Sign in?', prompt: 'You come back here. '.repeat(9), url };
  for (const width of [320, 390, 560, 1180]) {
    await page.setViewportSize({ width, height: 1200 });
    await page.reload();
    await ask(page, 'c.1', { ...link, approvalScopes: undefined });
    await page.getByText('This address is not encrypted.').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Open link' }).isEnabled()).toBe(true);
  }
});

test('[WEB7, WEB5] a button expands a long subject, also by keyboard; another attempt has to be read again', async () => {
  const page = await open({ viewport: { width: 390, height: 664 } });
  await ask(page, 'c.1', about(lines(60)));
  await page.getByText('Read to the end to allow it.').waitFor();
  await page.locator('parley-card h2').focus();
  await page.keyboard.press('2');
  const more = page.getByRole('button', { name: 'Show all' });
  await expect
    .poll(() => more.evaluate((button: Element) => (button.getRootNode() as ShadowRoot).activeElement === button))
    .toBe(true);
  expect(await findViolations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await more.waitFor({ state: 'detached' });
  await expect.poll(() => allow(page).isEnabled()).toBe(true);
  expect(await countLinesInView(page)).toBeGreaterThan(10);
  await page.evaluate(
    (part) => {
      const payload = { toolCallId: 'c', interactionId: 'c.1', reason: 'superseded', replacedBy: 'c.2' } as const;
      window.gallery.append({ type: 'interaction_closed', payload });
      window.gallery.ask('c.2', { ...part, replaces: 'c.1' });
    },
    about(`${lines(60)}\nrm -rf /`) as object,
  );
  await more.waitFor();
  expect(await allow(page).isDisabled()).toBe(true);
});

test.each([
  ['light', 1180, 820],
  ['dark', 390, 664],
] as const)(
  '[WEB7, APR5] several approvals are allowed from a list that shows each: %s, %i px',
  async (colorScheme, width, height) => {
    const page = await open({ colorScheme, viewport: { width, height } });
    for (const [n, risk] of ['low', 'high', 'medium'].entries())
      await ask(
        page,
        `c${n}.1`,
        about(lines(n === 0 ? 60 : 3), { risk, title: `Delete batch ${n}?`, toolName: `tool-${n}` }),
      );
    await page.getByText('3 approvals are open').waitFor();
    expect(await page.getByRole('button', { name: /^Allow all/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Review together' }).click();
    const list = page.getByRole('dialog', { name: '3 approvals' });
    for (const n of [0, 1, 2]) await list.getByRole('heading', { name: `Delete batch ${n}?` }).waitFor();
    const boxes = list.getByRole('checkbox');
    // the riskiest is the first
    const states = await boxes.evaluateAll((all) => all.map((box) => (box as HTMLInputElement).checked));
    expect(states).toEqual([false, true, true]);
    const both = list.getByRole('button', { name: 'Allow 2 once' });
    await list.getByText(/not seen yet/).waitFor();
    expect(await both.isDisabled()).toBe(true);
    expect(await findViolations(page)).toEqual([]);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/review-${width}-${colorScheme}.png` });
    await list.getByRole('button', { name: 'Show all' }).click();
    for (const row of await list.locator('parley-review-row').all()) {
      await row.locator('parley-subject').evaluate((subject) => subject.scrollIntoView({ block: 'center' }));
      const isRead = () => row.evaluate((shown) => 'isRead' in shown && shown.isRead);
      await expect.poll(isRead).toBe(true); // what is scrolled past at once is not seen
    }
    await expect.poll(() => both.isEnabled()).toBe(true);
    await both.press('Enter');
    await list.waitFor({ state: 'detached' });
    await expect.poll(() => answers(page)).toEqual(['c0.1 approve', 'c2.1 approve']);
    expect(await page.getByRole('heading', { name: 'Delete batch 1?' }).isVisible()).toBe(true);
  },
);

test('[WEB7] on a phone the wider consents open below what they are about, in view', async () => {
  const page = await open({ viewport: { width: 390, height: 760 } });
  const words = 'A sentence that says what this is about. '.repeat(9);
  await ask(page, 'c.1', about(lines(2), { prompt: words }));
  await expect.poll(() => allow(page).isEnabled()).toBe(true);
  await page.getByRole('button', { name: 'More ways to allow' }).click();
  await page.getByRole('button', { name: 'Always allow' }).waitFor();
  await expect.poll(() => countLinesInView(page)).toBe(2);
  const last = await page.getByRole('group', { name: 'Allow more than this' }).boundingBox();
  const log = await page.getByRole('log').boundingBox();
  expect((last?.y ?? 0) + (last?.height ?? 0)).toBeLessThanOrEqual((log?.y ?? 0) + (log?.height ?? 0));
});
