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

/** Collects announcements until these words of the agent: they are the last part of a change, so everything else came before. */
async function hearUntil(words: string): Promise<string[]> {
  const heard: string[] = [];
  await expect.poll(async () => heard.push(...(await takeHeard(page))) && heard.join('\n')).toContain(words);
  return heard;
}

/** Lets Grace answer the prompt `c.1` first. */
async function denyAsGrace(): Promise<void> {
  await page.evaluate(() => {
    const by = { ...window.gallery.by, name: 'Grace' };
    const payload = { toolCallId: 'c', interactionId: 'c.1', answerId: 'a', action: 'deny', by } as const;
    window.gallery.append({ type: 'interaction_response', payload, turnId: 't1' });
  });
  await page.locator('parley-card summary').waitFor();
}

test('[WEB5] the question of a card is announced once, with its risk, but not its buttons or its subject', async () => {
  await takeHeard(page);
  await page.evaluate(() => window.gallery.ask('c.1', { title: 'Deploy to production?', risk: 'high' }));
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  await write('r', 'Said meanwhile');
  const heard = await hearUntil('Said meanwhile');
  expect(heard.filter((words) => /deploy|allow|deny|waiting|answer/i.test(words))).toEqual([
    'You are asked: Deploy to production? High risk',
  ]);
});

test('[WEB5] viewers get announcements of what somebody else is asked, and how it ended', async () => {
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

test('[WEB5, TEAM5] people who may answer only later are notified when they may', async () => {
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

test('[WEB9] the target of a draft is announced as a sentence about it, not as if it had been sent', async () => {
  await takeHeard(page);
  await page.evaluate(() => window.gallery.ask('c.1', { title: 'Deploy?' }));
  await hearUntil('What you write here becomes the reason');
});

test('[TEAM3, WEB5] the votes are announced together with the question that they belong to', async () => {
  await page.evaluate(() => window.gallery.ask('c.1', { title: 'Deploy?', decide: { approve: 2, deny: 1 } }));
  await hearUntil('Deploy?: 0 of 2 approvals; your no decides.');
});

test('[WEB5] a question that is asked again is announced as such', async () => {
  await page.evaluate(() => window.gallery.ask('c.1', { title: 'Deploy?', attempt: 2 }));
  await hearUntil('You are asked: Deploy? Attempt 2');
});

test('[WEB5] how a prompt ended is announced once, unless the focus is in it', async () => {
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

test('[WEB5] opening a long session and scrolling in it announces nothing; what comes later is announced', async () => {
  await page.evaluate(() => window.gallery.openLong(400));
  const log = page.getByRole('log');
  await log.evaluate((element) => element.scrollTo(0, 0));
  await expect.poll(() => log.locator('.row').first().getAttribute('data-seq')).not.toBe('300');
  await log.evaluate((element) => element.scrollTo(0, 0));
  await page.getByRole('button', { name: 'Latest' }).click();
  await page.getByText('Answer 399').waitFor();
  expect((await takeHeard(page)).filter((words) => words.includes('Answer'))).toEqual([]);
});

test('[WEB5] the agent’s text is announced when it arrives, and its author is a heading', async () => {
  await write('q', '**Beginning**');
  await page.locator('strong', { hasText: 'Beginning' }).waitFor(); // from now on text is formatted on arrival
  await takeHeard(page);
  await write('r', 'The tests are green');
  expect((await hearUntil('tests are green')).filter((words) => words.includes('green'))).toHaveLength(1);
  const log = page.getByRole('log');
  const names = await log.getByRole('heading', { level: 2 }).allInnerTexts();
  expect(names).toEqual([expect.stringMatching(/ said$/), 'The agent said', 'The agent said']);
});

test('[WEB5] that the agent works is announced once, and again after it asked; turn after turn it is only visible', async () => {
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

test('[WEB5] a browser without ariaNotify announces through a live region', async () => {
  const old = await browser.newPage();
  await hear(old);
  await old.addInitScript(() => Reflect.deleteProperty(Document.prototype, 'ariaNotify'));
  await openTab(old, site.url);
  await old.evaluate(() => window.gallery.ask('c.1', { title: 'Deploy?' }));
  await expect.poll(() => takeHeard(old)).toContain('You are asked: Deploy?');
  await old.close();
});

test('[WEB5] the errors of a form are announced once, and the remaining ones not again after each correction', async () => {
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

test('[WEB5, INT9] the countdown is removed once the tool went on', async () => {
  const ends = (ms: number) => new Date(Date.now() + ms).toISOString();
  await page.evaluate((expiresAt) => window.gallery.ask('c.1', { title: 'Go on?', expiresAt }), ends(58_000));
  await hearUntil(' seconds left: ');
  await page.evaluate(
    (expiresAt) => {
      const payload = { toolCallId: 'c', interactionId: 'c.1', message: 'Later', expiresAt };
      window.gallery.append({ type: 'interaction_pending', payload, turnId: 't1' });
    },
    ends(7 * 86_400_000),
  );
  await page.getByText('7 days left').waitFor();
  expect(await page.getByText(' seconds left:').count()).toBe(0);
});
