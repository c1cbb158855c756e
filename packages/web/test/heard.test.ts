import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { launchBrowser, openTab, serveGallery } from './browser.ts';
import { hear, takeHeard } from './hearing.ts';
import { input } from './samples.ts';

let browser: Browser;
let site: Awaited<ReturnType<typeof serveGallery>>;
let page: Page;

beforeAll(async () => {
  [browser, site] = await Promise.all([launchBrowser(), serveGallery()]);
});

beforeEach(async () => {
  page = await browser.newPage();
  await hear(page);
  await openTab(page, site.url);
  await page.evaluate(() => window.gallery.startTurn());
  await page.getByRole('log').getByText('Go', { exact: true }).waitFor();
});

afterEach(() => page.context().close());

afterAll(async () => {
  await browser.close();
  await site.close();
});

const write = (responseId: string, text: string) =>
  page.evaluate(
    ([responseId, text]) =>
      window.gallery.append({ type: 'assistant_done', payload: { block: 0, text }, turnId: 't1', responseId }),
    [responseId, text] as const,
  );

/** The words of the agent are the last that a change brings: when they are heard, the rest was. */
async function hearUntil(words: string): Promise<string[]> {
  const heard: string[] = [];
  await expect.poll(async () => heard.push(...(await takeHeard(page))) && heard.join('\n')).toContain(words);
  return heard;
}

/** Somebody else is first with the prompt `c.1`. */
async function denyAsGrace(): Promise<void> {
  await page.evaluate(() => {
    const by = { ...window.gallery.by, name: 'Grace' };
    const payload = { toolCallId: 'c', interactionId: 'c.1', answerId: 'a', action: 'deny', by } as const;
    window.gallery.append({ type: 'interaction_response', payload, turnId: 't1' });
  });
  await page.locator('parley-card summary').waitFor();
}

test('[WEB5] what a card asks is told once, with its risk, and neither its buttons nor its subject', async () => {
  await takeHeard(page);
  await page.evaluate(() => window.gallery.ask('c.1', { title: 'Deploy to production?', risk: 'high' }));
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  await write('r', 'Said meanwhile');
  const heard = await hearUntil('Said meanwhile');
  expect(heard.filter((words) => /deploy|allow|deny|waiting|answer/i.test(words))).toEqual([
    'You are asked: Deploy to production? High risk',
  ]);
});

test('[WEB5] who only watches hears what somebody else is asked, and how it ended', async () => {
  await takeHeard(page);
  await page.evaluate(() => window.gallery.ask('c.1', { title: 'Deploy?', audience: { principals: ['grace'] } }));
  await page.getByRole('heading', { name: 'Deploy?' }).waitFor();
  await denyAsGrace();
  await write('r', 'Said afterwards');
  const heard = await hearUntil('Said afterwards');
  expect(heard.filter((words) => /deploy|denied/i.test(words))).toEqual([
    'Somebody else is asked: Deploy?',
    expect.stringMatching(/^Denied Deploy\? .*Grace/),
  ]);
});

test('[WEB5, TEAM5] who may answer only later is told when they may', async () => {
  await takeHeard(page);
  await page.evaluate(() => window.gallery.ask('c.1', { title: 'Deploy?', audience: { principals: ['grace'] } }));
  await page.getByRole('heading', { name: 'Deploy?' }).waitFor();
  await page.evaluate(() => {
    const audience = { role: 'operator' } as const;
    const payload = { toolCallId: 'c', interactionId: 'c.1', step: 1, audience };
    window.gallery.append({ type: 'interaction_escalated', payload, turnId: 't1' });
  });
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  await write('r', 'Said afterwards');
  const heard = await hearUntil('Said afterwards');
  expect(heard.filter((words) => words.includes('asked:'))).toEqual([
    'Somebody else is asked: Deploy?',
    'You are asked: Deploy?',
  ]);
});

test('[WEB9] where words would go is heard as a sentence about them, not as if it were done', async () => {
  await takeHeard(page);
  await page.evaluate(() => window.gallery.ask('c.1', { title: 'Deploy?' }));
  await hearUntil('What you write here: Denies what is asked, with these words as the reason');
});

test('[TEAM3, WEB5] how the votes stand is told with the question that they are on', async () => {
  await page.evaluate(() => window.gallery.ask('c.1', { title: 'Deploy?', decide: { approve: 2, deny: 1 } }));
  await hearUntil('Deploy?: 0 of 2 approvals; your no decides.');
});

test('[WEB5] a question that is asked again is told as such', async () => {
  await page.evaluate(() => window.gallery.ask('c.1', { title: 'Deploy?', attempt: 2 }));
  await hearUntil('You are asked: Deploy? Attempt 2');
});

test('[WEB5] how a prompt ended is told once, to whom has not the focus in it', async () => {
  await page.evaluate(() => window.gallery.ask('c.1', { title: 'Deploy?' }));
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  await takeHeard(page);
  await denyAsGrace();
  await write('r', 'Said afterwards');
  const heard = await hearUntil('Said afterwards');
  expect(heard.filter((words) => /deploy|denied/i.test(words))).toEqual([
    expect.stringMatching(/^Denied Deploy\? .*Grace/),
  ]);
});

test('[WEB5] opening a long session and scrolling in it reads nothing aloud; what comes then is read', async () => {
  await page.evaluate(() => window.gallery.openLong(400));
  const log = page.getByRole('log');
  await log.evaluate((element) => element.scrollTo(0, 0));
  await expect.poll(() => log.locator('.row').first().getAttribute('data-seq')).not.toBe('300');
  await log.evaluate((element) => element.scrollTo(0, 0));
  await page.getByRole('button', { name: 'Latest' }).click();
  await page.getByText('Answer 399').waitFor();
  expect((await takeHeard(page)).filter((words) => words.includes('Answer'))).toEqual([]);
});

test('[WEB5] the agent’s words are told when they come, and who said what is a heading', async () => {
  await write('q', '**Beginning**');
  await page.locator('strong', { hasText: 'Beginning' }).waitFor(); // from now on, text is formatted as it comes
  await takeHeard(page);
  await write('r', 'The tests are green');
  expect((await hearUntil('tests are green')).filter((words) => words.includes('green'))).toHaveLength(1);
  const log = page.getByRole('log');
  const names = await log.getByRole('heading', { level: 2 }).allInnerTexts();
  expect(names).toEqual([expect.stringMatching(/ said$/), 'The agent said', 'The agent said']);
});

test('[WEB5] that the agent works is told once, and again when it had asked; turn after turn it is only seen', async () => {
  const status = page.locator('parley-session-view .status');
  const endTurn = (turnId: string) =>
    page.evaluate(
      (turnId) => window.gallery.append({ type: 'turn_end', payload: { status: 'completed' }, turnId }),
      turnId,
    );
  await status.getByText('The agent is working.').waitFor();
  await endTurn('t1');
  await status.getByText('The agent is working.').waitFor({ state: 'detached' });
  await takeHeard(page);
  await page.evaluate(() => window.gallery.startTurn('Once more'));
  await status.getByText('The agent is working.').waitFor();
  expect((await takeHeard(page)).filter((words) => words.includes('working'))).toEqual([]);
  await page.evaluate(() => window.gallery.ask('c.1', { title: 'Deploy?' }));
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  await page.evaluate(() => {
    const by = { ...window.gallery.by, name: 'Grace' };
    const payload = { toolCallId: 'c', interactionId: 'c.1', answerId: 'a', action: 'deny', by } as const;
    window.gallery.append({ type: 'interaction_response', payload, turnId: 't2' });
  });
  await hearUntil('The agent is working.');
});

test('[WEB5] a browser without ariaNotify is told through a live region', async () => {
  const old = await browser.newPage();
  await hear(old);
  await old.addInitScript(() => Reflect.deleteProperty(Document.prototype, 'ariaNotify'));
  await openTab(old, site.url);
  await old.evaluate(() => window.gallery.ask('c.1', { title: 'Deploy?' }));
  await expect.poll(() => takeHeard(old)).toContain('You are asked: Deploy?');
  await old.close();
});

test('[WEB5] what is wrong with a form is told once, and what is left of it not again with each correction', async () => {
  const fields = ['Name', 'Town'].map((label) => ({ id: label, type: 'text', label, required: true }) as const);
  const part: object = input({ type: 'form', fields: [...fields, { id: 'note', type: 'text', label: 'Note' }] });
  await page.evaluate((part) => window.gallery.ask('c.1', part), part);
  const name = page.getByRole('textbox', { name: 'Name' });
  await name.waitFor();
  await takeHeard(page);
  await page.getByRole('button', { name: 'OK' }).click();
  await page.getByText('Please check your answers.').waitFor();
  await write('r1', 'After the attempt');
  const told = (await hearUntil('After the attempt')).filter((words) => /check|required/i.test(words));
  expect(told).toEqual([expect.stringMatching(/^Please check your answers. Name: Required. Town: Required.$/)]);
  await name.fill('Ada');
  await page.getByRole('button', { name: 'Name', exact: true }).waitFor({ state: 'detached' });
  await write('r2', 'After the correction');
  expect((await hearUntil('After the correction')).filter((words) => /town|required|name/i.test(words))).toEqual([]);
});

test('[WEB5, INT9] how long was left to answer is not there any more once the tool went on', async () => {
  const ends = (ms: number) => new Date(Date.now() + ms).toISOString();
  await page.evaluate((expiresAt) => window.gallery.ask('c.1', { title: 'Go on?', expiresAt }), ends(58_000));
  await hearUntil(' seconds left to answer.');
  await page.evaluate(
    (expiresAt) => {
      const payload = { toolCallId: 'c', interactionId: 'c.1', message: 'Later', expiresAt };
      window.gallery.append({ type: 'interaction_pending', payload, turnId: 't1' });
    },
    ends(7 * 86_400_000),
  );
  await page.getByText('7 days left').waitFor();
  expect(await page.getByText('left to answer.').count()).toBe(0);
});
