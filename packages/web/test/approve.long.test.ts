import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { useGallery } from './browser.ts';
import { approval, input, oneField } from './samples.ts';

const openGallery = useGallery();
let page: Page;

beforeEach(async () => {
  page = await openGallery();
});

const ask = (id: string, part: object, args = {}) =>
  page.evaluate(([id, part, args]) => window.gallery.ask(id, part, args), [id, part, args] as const);
const answers = () =>
  page.evaluate(() => window.gallery.answers().map(({ interactionId, action }) => `${interactionId} ${action}`));
const allow = (id: string) => page.locator(`[id="${id}"]`).getByRole('button', { name: 'Allow once' });

/** Returns the centre of the Allow button. */
async function centre(id: string): Promise<[x: number, y: number]> {
  const box = await allow(id).boundingBox();
  if (!box) throw new Error(`${id} has no box`);
  return [box.x + box.width / 2, box.y + box.height / 2];
}

/** Stops the page's clock; from here on it moves only when the test runs it. */
async function holdTime(): Promise<void> {
  await page.emulateMedia({ reducedMotion: 'reduce' }); // animations have a clock of their own
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
}

/** Waits until Allow may be pressed. Rendering takes no time of the page's clock, and what moves meanwhile restarts the guard. */
async function ready(id: string): Promise<void> {
  await expect.poll(() => page.clock.runFor(20).then(() => allow(id).count())).toBe(1);
  await (await allow(id).elementHandle())?.waitForElementState('stable');
  await expect.poll(() => page.clock.runFor(100).then(() => allow(id).isEnabled())).toBe(true);
  await page.clock.runFor(600);
}

test('[SEC5] Allow is inert for its first 500 ms, and never gets the focus by itself', async () => {
  await holdTime();
  await ask('c.1', approval);
  expect(await page.evaluate(() => document.activeElement?.localName)).toBe('body');
  await page.clock.runFor(480);
  expect(await allow('c.1').isDisabled()).toBe(true);
  await page.mouse.click(...(await centre('c.1')));
  await expect.poll(() => page.clock.runFor(100).then(() => allow('c.1').isEnabled())).toBe(true); // since its first rendering
  expect(await answers()).toEqual([]);
  await page.mouse.click(...(await centre('c.1')));
  await expect.poll(answers).toEqual(['c.1 approve']);
});

test('[SEC5] Allow ignores a click after it has just moved under the pointer, and shows that it did', async () => {
  await holdTime();
  await ask('c.1', approval);
  await ready('c.1');
  const [x, y] = await centre('c.1');
  await page.mouse.move(x, y + 8);
  await page.locator('main').evaluate((main) => Object.assign(main.style, { marginTop: '12px' }));
  await page.mouse.down();
  await page.mouse.up();
  expect(await centre('c.1')).toEqual([x, y + 12]);
  await expect.poll(() => allow('c.1').getAttribute('class')).toContain('early');
  await page.clock.runFor(450);
  expect(await allow('c.1').getAttribute('class')).toContain('early');
  await page.mouse.click(x, y + 8);
  expect(await answers()).toEqual([]);
  await page.clock.runFor(600);
  expect(await allow('c.1').getAttribute('class')).not.toContain('early');
  await page.mouse.click(x, y + 8);
  await expect.poll(answers).toEqual(['c.1 approve']);
});

test('[SEC5] a double click allows one prompt, not the next one that moves under the pointer', async () => {
  await holdTime();
  await ask('a.1', approval);
  await ask('b.1', { ...approval, subject: undefined });
  for (const id of ['a.1', 'b.1']) await ready(id);
  const [, before] = await centre('b.1');
  await page.mouse.click(...(await centre('a.1')));
  await page.clock.runFor(100);
  await page.getByText('Allowed once').waitFor();
  await expect.poll(async () => (await centre('b.1'))[1]).toBeLessThan(before);
  await page.mouse.click(...(await centre('b.1')));
  expect(await answers()).toEqual(['a.1 approve']);
  await page.clock.runFor(600);
  await page.mouse.click(...(await centre('b.1')));
  await expect.poll(answers).toEqual(['a.1 approve', 'b.1 approve']);
});

test('[SEC5] Allowing several is guarded against misclicks like a single Allow', async () => {
  await holdTime();
  for (const id of ['a.1', 'b.1']) await ask(id, approval);
  await page.clock.runFor(100);
  await page.getByRole('button', { name: 'Review together' }).click();
  for (const box of await page.getByRole('dialog').getByRole('checkbox').all()) await box.check(); // high risk starts unticked
  const all = page.getByRole('button', { name: 'Allow 2 once' });
  await page.clock.runFor(480);
  expect(await all.isDisabled()).toBe(true);
  await expect.poll(() => page.clock.runFor(100).then(() => all.isEnabled())).toBe(true); // since its first rendering
  await page.locator('parley-review dialog').evaluate((dialog) => Object.assign(dialog.style, { marginTop: '12px' }));
  await all.click();
  expect(await answers()).toEqual([]);
  await page.clock.runFor(600);
  await all.click();
  await expect.poll(answers).toEqual(['a.1 approve', 'b.1 approve']);
});

test('[SEC5] the guard starts again when another question replaces the last', async () => {
  await holdTime();
  await ask('c.1', approval);
  await ready('c.1');
  await page.evaluate((asked: object) => {
    const payload = { toolCallId: 'c', interactionId: 'c.1', reason: 'superseded', replacedBy: 'c.2' } as const;
    window.gallery.append({ type: 'interaction_closed', payload });
    window.gallery.ask('c.2', { ...asked, replaces: 'c.1', title: 'Deploy twice?' });
  }, approval as object);
  await page.clock.runFor(20);
  await page.getByRole('heading', { name: 'Deploy twice?' }).waitFor();
  expect(await page.getByRole('button', { name: 'Allow once' }).isDisabled()).toBe(true);
});

test('[SEC5] a key that is held down answers nothing, wherever the focus moves meanwhile', async () => {
  await ask('c.1', approval);
  await expect.poll(() => allow('c.1').isEnabled(), { timeout: 10_000 }).toBe(true);
  await page.locator('parley-card h2').focus();
  await page.keyboard.down('Enter');
  await page.keyboard.press('2');
  expect(await allow('c.1').evaluate((button) => button.matches(':focus'))).toBe(true);
  for (let n = 0; n < 5; n += 1) await page.keyboard.down('Enter');
  expect(await answers()).toEqual([]);
  await page.keyboard.up('Enter');
  await page.keyboard.press('Enter');
  await expect.poll(answers).toEqual(['c.1 approve']);
});

test('[SEC5] Enter held down does not submit the next form', async () => {
  await ask('c.1', input(oneField));
  await page.getByRole('textbox', { name: 'Email' }).fill('ada@example.org');
  await page.keyboard.down('Enter');
  await expect.poll(answers).toEqual(['c.1 submit']);
  await ask('c.2', input(oneField, { replaces: 'c.1', attempt: 2, initialValues: { email: 'ada@example.org' } }));
  await page.getByText('attempt 2').waitFor();
  await page.getByRole('textbox', { name: 'Email' }).focus();
  for (let n = 0; n < 5; n += 1) await page.keyboard.down('Enter');
  expect(await answers()).toEqual(['c.1 submit']);
  await page.keyboard.up('Enter');
  await page.keyboard.press('Control+Enter');
  await expect.poll(answers).toEqual(['c.1 submit', 'c.2 submit']);
});
