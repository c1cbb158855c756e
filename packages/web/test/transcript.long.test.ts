import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { useGallery } from './browser.ts';
import { everyField, input } from './samples.ts';

const openGallery = useGallery();
let page: Page;

beforeEach(async () => {
  page = await openGallery({ permissions: ['clipboard-read', 'clipboard-write'] });
});

const readClipboard = () => page.evaluate(() => navigator.clipboard.readText());

test('[WEB2] a call is one line: verb, object, lines; it opens to its output and arguments, with the keyboard', async () => {
  await page.evaluate(() => {
    const { gallery } = window;
    gallery.startTurn();
    gallery.call('c', 'Read', { file_path: 'src/a.ts' });
    const result = 'one\n\ttwo\nthree\n';
    gallery.append({ type: 'tool_result', payload: { toolCallId: 'c', toolName: 'Read', result } });
  });
  const line = page.locator('parley-tool .line');
  await expect.poll(() => line.innerText()).toMatch(/^Read\s+src\/a\.ts\s+· 3 lines\s+done$/);
  expect((await line.boundingBox())?.height).toBe(28);
  expect(await page.getByRole('group', { name: 'Output' }).count()).toBe(0);
  await line.press('Enter');
  expect(await page.getByRole('group', { name: 'Output' }).innerText()).toBe('one\n\ttwo\nthree\n');
  await page.getByRole('button', { name: 'Copy: Output' }).click();
  await expect.poll(readClipboard).toBe('one\n\ttwo\nthree\n');
  await page.getByRole('button', { name: 'Arguments' }).click();
  const backOf = (name: string) =>
    page.getByRole('button', { name, exact: true }).evaluate((it) => getComputedStyle(it).backgroundColor);
  await expect.poll(() => backOf('Arguments')).not.toBe(await backOf('Output'));
  expect(await page.getByRole('group', { name: 'Arguments' }).innerText()).toContain('"file_path": "src/a.ts"');
  const wrap = page.getByRole('button', { name: 'Wrap long lines' });
  expect(await wrap.getAttribute('aria-pressed')).toBe('true');
  await wrap.click();
  expect(await wrap.getAttribute('aria-pressed')).toBe('false');
  await line.press('Enter');
  expect(await page.getByRole('group', { name: 'Arguments' }).count()).toBe(0);
});

test('[WEB2] while a call prints, its output is open and followed, unless the reader has scrolled up', async () => {
  const print = (from: number, to: number) =>
    page.evaluate(
      ([from, to]) => {
        const line = (n: number) => `line ${String(n).padStart(6, '0')}\n`;
        const text = Array.from({ length: to - from }, (_, n) => line(from + n)).join('');
        const stream = { turnId: 't1', responseId: 'r', block: 0, kind: 'tool_output', toolCallId: 'c' } as const;
        window.gallery.server.stream('s', { ...stream, offset: 12 * from, text });
      },
      [from, to] as const,
    );
  await page.evaluate(() => {
    window.gallery.startTurn();
    window.gallery.call('c', 'run_command', { command: 'npm test' });
  });
  await print(0, 100);
  const box = page.getByRole('group', { name: 'Output' });
  const isAtEnd = () => box.evaluate((it) => it.scrollTop + it.clientHeight >= it.scrollHeight - 1 && it.scrollTop > 0);
  await expect.poll(isAtEnd).toBe(true);
  await print(100, 110);
  await page.getByText('line 000109').waitFor();
  await expect.poll(isAtEnd).toBe(true);
  await box.evaluate((it) => it.scrollTo(0, 5));
  await expect.poll(() => box.evaluate((it) => it.scrollTop)).toBe(5);
  await print(110, 120);
  await page.getByText('120 lines').waitFor();
  expect(await box.evaluate((it) => it.scrollTop)).toBe(5);
});

test('[WEB2] a message is copied as it was written, and its link leads to it, even if it is not loaded', async () => {
  await page.evaluate(() => {
    const say = (n: number) => ({ type: 'assistant_done', payload: { block: 0, text: `**Answer** ${n}` } }) as const;
    window.gallery.append(...Array.from({ length: 300 }, (_, n) => say(n)));
  });
  const last = page.locator('.row', { hasText: 'Answer 299' });
  const copy = last.getByRole('button', { name: 'Copy what the agent said: Answer 299' });
  const point = async () => {
    await last.hover();
    return last.evaluate((it) => it.matches(':hover'));
  };
  await expect.poll(point).toBe(true); // the rows above get their height, and move it
  await copy.click();
  await expect.poll(readClipboard).toBe('**Answer** 299');
  await last.getByRole('button', { name: 'Copy the link' }).click();
  await expect.poll(readClipboard).toBe(`${new URL(page.url()).origin}/s/s#e300`);
  await page.goto(`${page.url().split('#')[0]}#e12`);
  await page.reload();
  await page.evaluate(() => {
    const say = (n: number) => ({ type: 'assistant_done', payload: { block: 0, text: `Answer ${n}` } }) as const;
    window.gallery.openSession('linked', ...Array.from({ length: 300 }, (_, n) => say(n)));
  });
  const linked = page.locator('.row.found');
  await linked.waitFor();
  await linked.getByText('Answer 11').waitFor();
  await expect
    .poll(() =>
      linked.evaluate((it) => it.getBoundingClientRect().top > 0 && it.getBoundingClientRect().bottom < innerHeight),
    )
    .toBe(true);
});

test('[RPL4] older messages appear near the top, and the reader’s position stays', async () => {
  await page.evaluate(() => {
    const text = (n: number) => `Answer ${n} ${'with some words '.repeat(n % 7)}`;
    const say = (n: number) => ({ type: 'assistant_done', payload: { block: 0, text: text(n) } }) as const;
    window.gallery.openSession('old', ...Array.from({ length: 450 }, (_, n) => say(n)));
  });
  await page.getByText('Answer 449').waitFor();
  const log = page.getByRole('log');
  const first = () => page.locator('.row').first().getAttribute('data-seq').then(Number);
  await expect.poll(first).toBe(351);
  // Rows far above get their real height only a frame after they come near, so the position is measured after that.
  await log.evaluate(async (it) => {
    it.scrollTo(0, it.clientHeight + 50);
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
  });
  const seen = await log.evaluate((it) => {
    it.scrollTo(0, 300);
    const rows = [...it.querySelectorAll<HTMLElement>('.row')];
    const row = rows.find((candidate) => candidate.getBoundingClientRect().bottom > it.getBoundingClientRect().top);
    return [row?.dataset.seq ?? '', row?.getBoundingClientRect().top ?? 0] as const;
  });
  await expect.poll(first).toBeLessThan(351);
  const top = await page.locator(`.row[data-seq="${seen[0]}"]`).evaluate((it) => it.getBoundingClientRect().top);
  expect(Math.abs(top - seen[1])).toBeLessThan(4);
  while ((await first()) > 1) await log.evaluate((it) => it.scrollTo(0, 0));
  await page.getByText('Answer 0', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Latest' }).click();
  await page.getByText('Answer 449').waitFor();
});

test('[RPL4] a reader at the end stays there when something grows while the page scrolls to it', async () => {
  await page.evaluate(() => {
    const say = (n: number) => ({ type: 'assistant_done', payload: { block: 0, text: `Answer ${n}` } }) as const;
    window.gallery.append(...Array.from({ length: 60 }, (_, n) => say(n)));
  });
  const log = page.getByRole('log');
  const isAtEnd = () => log.evaluate((it) => it.scrollTop > 0 && it.scrollTop + it.clientHeight >= it.scrollHeight - 1);
  await expect.poll(isAtEnd).toBe(true);
  await log.evaluate(async (it) => {
    it.scrollTop -= 1; // the event is dispatched in the next frame
    const last = [...it.querySelectorAll<HTMLElement>('.row')].at(-1);
    if (last) last.style.paddingBlockEnd = '300px';
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  });
  await expect.poll(isAtEnd).toBe(true);
  expect(await page.getByRole('button', { name: 'Latest' }).count()).toBe(0);
});

test('[WEB5] / searches the session, its older messages included; Enter goes back through the hits, Escape leaves', async () => {
  await page.evaluate(() => {
    const text = (n: number) => (n % 100 === 7 ? `A needle, number ${n}` : `Hay ${n}`);
    const say = (n: number) => ({ type: 'assistant_done', payload: { block: 0, text: text(n) } }) as const;
    window.gallery.openSession('hay', ...Array.from({ length: 2500 }, (_, n) => say(n)));
  });
  await page.getByText('Hay 2499').waitFor();
  await page.getByRole('log').focus();
  await page.keyboard.press('/');
  const field = page.getByRole('searchbox', { name: 'Search this session' });
  await field.fill('NEEDLE');
  await page.getByText('25 of 25', { exact: true }).waitFor();
  const found = page.locator('.row.found');
  await found.getByText('number 2407', { exact: false }).waitFor();
  await field.press('Enter');
  await found.getByText('number 2307', { exact: false }).waitFor();
  await field.press('Shift+Enter');
  await field.press('Shift+Enter');
  await page.getByText('1 of 25', { exact: true }).waitFor();
  const buttons = page.locator('parley-search-bar button');
  const hints = await buttons.evaluateAll((all) => all.map(({ ariaDescription }) => ariaDescription));
  expect(hints).toEqual(['Enter', 'Shift+Enter', 'Esc']); // and the name only once
  await found.getByText('number 7', { exact: false }).waitFor();
  expect(await page.evaluate(() => CSS.highlights.get('parley-found')?.size)).toBe(1);
  await field.fill('nothing like it');
  await page.getByText('No hits').waitFor();
  await field.press('Escape');
  expect(await field.count()).toBe(0);
  expect(await page.getByRole('log').evaluate((it) => it.matches(':focus'))).toBe(true);
  await page.getByLabel('Message', { exact: true }).press('/');
  expect(await field.count()).toBe(0);
});

test('[WEB8] if the whole conversation is in view, there is no button to its end', async () => {
  const form: object = input(everyField);
  await page.evaluate((part) => window.gallery.ask('c.1', part), form);
  await page.getByRole('textbox', { name: 'Full name' }).waitFor();
  const log = page.getByRole('log');
  await log.evaluate((it) => it.scrollTo(0, it.scrollHeight));
  await log.evaluate((it) => it.scrollTo(0, 0));
  await page.getByRole('button', { name: 'Latest' }).waitFor();
  await page.evaluate(() => {
    const payload = { toolCallId: 'c', interactionId: 'c.1', reason: 'withdrawn' } as const;
    window.gallery.append({ type: 'interaction_closed', payload, turnId: 't1' });
  });
  await page.getByRole('button', { name: 'Latest' }).waitFor({ state: 'detached' });
});

test('[WEB3] the label of a copy button keeps the underscores of a name', async () => {
  await page.evaluate(() => window.gallery.startTurn('/call delete_files with _care_'));
  await page.getByRole('button', { name: 'Copy what you said: /call delete_files with care', exact: true }).waitFor();
});

test('[WEB5] on touch screens a tap on a message shows its actions below its text, and the next tap hides them', async () => {
  const phone = await openGallery({ viewport: { width: 390, height: 720 }, hasTouch: true, isMobile: true });
  await phone.evaluate(() => {
    const say = (text: string) => ({ type: 'assistant_done', payload: { block: 0, text } }) as const;
    window.gallery.append(say('The first answer'), say('The second answer'));
  });
  const row = phone.locator('.row', { hasText: 'The first answer' });
  const copy = row.getByRole('button', { name: /^Copy what/ });
  const words = row.getByText('The first answer');
  const isShown = () => row.locator('.actions').evaluate((it) => getComputedStyle(it).opacity !== '0');
  await words.tap();
  await expect.poll(isShown).toBe(true);
  const [below, above] = [await copy.boundingBox(), await words.boundingBox()];
  expect(below?.y).toBeGreaterThanOrEqual((above?.y ?? 0) + (above?.height ?? 0));
  await copy.tap();
  expect(await isShown()).toBe(true);
  await phone.getByText('The second answer').tap();
  await expect.poll(isShown).toBe(false);
});
