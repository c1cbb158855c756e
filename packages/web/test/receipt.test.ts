import type { FormSchema } from '@parleyhq/core';
import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { findViolations } from './axe.ts';
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

/** Returns the motion of a part of the card, as its styles define it. */
const readMotion = (selector: string, mark = '') =>
  page.locator(selector).evaluate((element, mark) => {
    if (mark) element.classList.add(mark);
    const { animationName, animationDuration, transitionDuration } = getComputedStyle(element);
    return { animationName, animationDuration, transitionDuration };
  }, mark);

test('[WEB5] a card enters in 160 ms and folds into its receipt in 200; with reduced motion it only fades', async () => {
  await page.evaluate(() => {
    const { animate } = Element.prototype;
    Element.prototype.animate = function (frames, options) {
      const { duration } = options as KeyframeAnimationOptions;
      document.body.dataset.folds = `${document.body.dataset.folds ?? ''}${this.localName} ${duration};`;
      return animate.call(this, frames, options);
    };
  });
  const folds = () => page.evaluate(() => document.body.dataset.folds);
  const answer = async (id: string) => {
    await page.evaluate(([id, part]) => window.gallery.ask(id, part), [id, input(libraries) as object] as const);
    await page.getByRole('radio', { name: 'luxon' }).check();
    const enters = await readMotion('article.card', 'new');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator(`[id="${id}"] .receipt`).waitFor();
    return enters;
  };
  expect(await answer('c.1')).toMatchObject({ animationName: 'fade', animationDuration: '0.16s' });
  await expect.poll(folds).toBe('parley-card 200;');
  expect(await readMotion('[id="c.1"] .receipt .chevron')).toMatchObject({ transitionDuration: '0.16s' });
  await page.emulateMedia({ reducedMotion: 'reduce' });
  expect(await answer('d.1')).toMatchObject({ animationName: 'fade', animationDuration: '0.16s' });
  expect(await readMotion('[id="d.1"] .receipt .chevron')).not.toMatchObject({ transitionDuration: '0.16s' });
  expect(await folds()).toBe('parley-card 200;');
});

test('[WEB5] a card that folds still has its height in the first frame, so that what follows glides and does not jump', async () => {
  await page.evaluate((part) => window.gallery.ask('c.1', part), input(libraries) as object);
  await page.getByRole('radio', { name: 'luxon' }).check();
  const card = page.locator('[id="c.1"]');
  const before = await card.evaluate((it: HTMLElement) => {
    new MutationObserver((_, observer) => {
      if (!it.shadowRoot?.querySelector('.receipt')) return;
      observer.disconnect();
      const end = performance.now() + 60; // the frame takes long
      while (performance.now() < end);
      requestAnimationFrame(() => it.setAttribute('data-first', String(it.offsetHeight)));
    }).observe(it.shadowRoot as ShadowRoot, { childList: true, subtree: true });
    return it.offsetHeight;
  });
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => card.getAttribute('data-first')).toBe(String(before));
  await expect.poll(() => card.evaluate((it: HTMLElement) => it.offsetHeight)).toBe(36);
});

test('[WEB3] the text about where somebody answered is complete next to a short question', async () => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.evaluate(() => {
    window.gallery.ask('c.1', { title: 'Deploy?' });
    const by = { ...window.gallery.by, clientId: 'another', label: 'Chrome on Linux' };
    const payload = { toolCallId: 'c', interactionId: 'c.1', answerId: 'a', action: 'deny', by } as const;
    window.gallery.append({ type: 'interaction_response', payload, turnId: 't1' });
  });
  const who = page.locator('.receipt .who');
  await who.getByText('or in another tab').waitFor();
  expect(await who.evaluate((it) => it.scrollWidth - it.clientWidth)).toBeLessThanOrEqual(0);
});

test('[WEB3] the shadow of a card is not cut by its surroundings, on any side', async () => {
  await page.evaluate(() => window.gallery.ask('c.1', { title: 'Deploy?' }));
  const left = await page.locator('article.card').evaluate((card) => {
    const far = getComputedStyle(card)
      .boxShadow.split(/,(?![^(]*\))/)
      .map((shadow) => shadow.match(/-?[\d.]+px/g)?.map(Number.parseFloat) ?? [])
      .map(([x = 0, y = 0, blur = 0, spread = 0]) => {
        const reach = blur + spread;
        return { side: Math.abs(x) + reach, top: reach - y, bottom: reach + y };
      });
    const box = card.getBoundingClientRect();
    const room: number[] = [];
    for (let at: Element | null = card; at; ) {
      const root: Node = at.getRootNode();
      at = at.assignedSlot ?? at.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
      if (!at || getComputedStyle(at).overflowY === 'auto') break;
      const { contentVisibility, contain, overflow, overflowClipMargin } = getComputedStyle(at);
      if (contentVisibility === 'visible' && !/paint|strict|content/.test(contain) && overflow === 'visible') continue;
      const around = at.getBoundingClientRect();
      const margin = Number.parseFloat(overflowClipMargin);
      const sides = { left: box.left - around.left, right: around.right - box.right };
      const ends = { top: box.top - around.top, bottom: around.bottom - box.bottom };
      for (const { side, top, bottom } of far)
        room.push(
          ...[sides.left - side, sides.right - side, ends.top - top, ends.bottom - bottom].map((it) => it + margin),
        );
    }
    return room;
  });
  expect(left.length).toBeGreaterThan(0);
  expect(Math.min(...left)).toBeGreaterThanOrEqual(0);
});

test('[RPL3, WEB3] the receipt of a prompt that nobody answered opens, and shows what was asked', async () => {
  await page.evaluate((part) => window.gallery.ask('c.1', part), input(libraries) as object);
  const subject = { kind: 'command', text: 'rm -rf build/' } as const;
  await page.evaluate((subject) => window.gallery.ask('d.1', { title: 'Clean?', subject }), subject);
  await page.evaluate(() => {
    for (const id of ['c', 'd']) {
      const payload = { toolCallId: id, interactionId: `${id}.1`, reason: 'timeout' } as const;
      window.gallery.append({ type: 'interaction_closed', payload, turnId: 't1' });
    }
  });
  const receipt = (id: string) => page.locator(`[id="${id}"] .receipt`);
  await receipt('c.1').locator('summary').click();
  await receipt('c.1').getByText('Not chosen: moment').waitFor();
  await receipt('d.1').locator('summary').click();
  await receipt('d.1').getByText('rm -rf build/').waitFor();
  expect(await findViolations(page)).toEqual([]);
});

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
  expect(await findViolations(page)).toEqual([]);
});
