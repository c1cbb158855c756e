import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ChatEvent, showHidden } from '@parleyhq/core';
import { makeTranscript, renderHtml, renderMarkdown } from '@parleyhq/core/transcript';
import { marked } from 'marked';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hostileTexts, speakThrough } from '../../core/test/support/hostile.ts';
import { findViolations } from './axe.ts';
import { launchBrowser } from './browser.ts';

const lines = readFileSync(new URL('../../core/test/golden/v1.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');
const log: ChatEvent[] = lines.map((text) => JSON.parse(text));
const exportedAt = '2026-03-02T10:00:00.000Z';
const folder = mkdtempSync(join(tmpdir(), 'parley-html-'));
let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

function transcriptOf(text: string | undefined) {
  const events = text === undefined ? log : speakThrough(log.slice(0, 26), text);
  const title = text ?? 'Trip to Bern';
  return makeTranscript({ id: 'session', title, createdAt: exportedAt }, events, exportedAt);
}

/** Opens the exported file from disk, as a person would. `faults` collects errors, dialogs and network requests. */
async function openExport(text: string | undefined, options: { width: number; colorScheme: 'light' | 'dark' }) {
  const file = join(folder, 'transcript.html');
  writeFileSync(file, [...renderHtml(transcriptOf(text))].join(''));
  const { width, colorScheme } = options;
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('dialog', (dialog) => {
    faults.push(dialog.message());
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith('file:')) faults.push(request.url());
  });
  await page.goto(pathToFileURL(file).href);
  return { page, faults };
}

describe.each([
  [1180, 'light'],
  [1180, 'dark'],
  [390, 'light'],
  [390, 'dark'],
] as const)('the HTML file at %i px, %s', (width, colorScheme) => {
  test('[RPL5] loads nothing, fits, and is accessible', async () => {
    const { page, faults } = await openExport(undefined, { width, colorScheme });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    expect(await findViolations(page)).toEqual([]);
    const { backgroundColor, color } = await page.evaluate(() => {
      const { backgroundColor, color } = getComputedStyle(document.body);
      return { backgroundColor, color };
    });
    expect([backgroundColor, color]).toEqual(
      colorScheme === 'light' ? ['rgb(251, 251, 250)', 'rgb(26, 26, 24)'] : ['rgb(17, 17, 19)', 'rgb(236, 236, 234)'],
    );
    await shoot(page, `export-${width}-${colorScheme}`);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

test('[RPL5] the HTML file has the colours of the page', () => {
  const read = (text: string) =>
    new Map([...text.matchAll(/(--[\w-]+): (light-dark\([^;]+);/g)].map(([, name, value]) => [name, value]));
  const page = read(readFileSync(new URL('../src/styles/tokens.css', import.meta.url), 'utf8'));
  const file = read([...renderHtml(transcriptOf(undefined))].join(''));
  expect(file.size).toBeGreaterThan(6);
  for (const [name, value] of file) expect([name, value]).toEqual([name, page.get(name)]);
});

test('[RPL5] the HTML file shows ids on request', async () => {
  const { page } = await openExport(undefined, { width: 1180, colorScheme: 'light' });
  const id = page.getByText('of plugin').first();
  expect(await id.isVisible()).toBe(false);
  await page.getByText('Ids', { exact: true }).first().click();
  expect(await id.isVisible()).toBe(true);
  await page.context().close();
});

test('[RPL5, SEC5] hostile text stays within its box, runs nothing and loads nothing', async () => {
  const text = hostileTexts.join('\n') + 'Z\u0351\u0352'.repeat(40) + 'wide'.repeat(300);
  const { page, faults } = await openExport(text, { width: 390, colorScheme: 'light' });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  const drawn = await page.evaluate(() => ({
    scripts: document.querySelectorAll('script, img, iframe, a, form, input, link, svg').length,
    sections: document.querySelectorAll('main > section').length,
    quote: document.querySelector('blockquote')?.textContent,
    titles: document.title,
  }));
  const plain = [...renderHtml(transcriptOf('x'))].join('');
  expect(drawn).toEqual({
    scripts: 0,
    sections: (plain.match(/^<section/gm) ?? []).length - (plain.match(/<h3>/g) ?? []).length,
    quote: showHidden(text),
    titles: expect.stringContaining('<script>'),
  });
  expect(faults).toEqual([]);
  await shoot(page, 'export-hostile');
  await page.context().close();
});

/** Returns Parley's own part of a rendered Markdown file. Quotes must contain only paragraphs and line breaks. */
function frameOf(html: string): string {
  return html
    .replace(/<blockquote>([\s\S]*?)<\/blockquote>/g, (_, inner: string) => {
      const tags = inner.match(/<[^>]*>/g) ?? [];
      expect(tags.filter((tag) => !/^<(?:\/?p|br)>$/.test(tag))).toEqual([]);
      return '<blockquote/>';
    })
    .replace(/<code[^>]*>[^<]*<\/code>/g, '<code/>');
}

test.each(hostileTexts.filter((text) => text.trim() !== ''))(
  '[RPL5, SEC5] Markdown: %j is rendered as text',
  (text) => {
    const render = (words: string) => marked.parse([...renderMarkdown(transcriptOf(words))].join(''), { async: false });
    const html = render(text);
    expect(frameOf(html)).toBe(frameOf(render('x')));
    const [, quoted = ''] = /<blockquote>([\s\S]*?)<\/blockquote>/.exec(html) ?? [];
    expect(squeeze(decode(quoted.replace(/<[^>]*>/g, ' ')))).toBe(squeeze(showHidden(text)));
  },
);

const squeeze = (text: string) => text.replace(/\s+/g, '');

const decode = (text: string) =>
  text
    .replace(/&nbsp;/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&');

/** Takes a screenshot for people to look at, if SHOTS names a folder. */
async function shoot(page: import('playwright-core').Page, name: string): Promise<void> {
  if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, `${name}.png`), fullPage: true });
}
