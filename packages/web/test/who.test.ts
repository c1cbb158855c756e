import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { useGallery } from './browser.ts';
import { approval } from './samples.ts';

const openGallery = useGallery();
let page: Page;

beforeEach(async () => {
  page = await openGallery();
});

/** Who claims to be this tab. */
interface Claimed {
  readonly clientId?: string;
  readonly principal: string;
  readonly name?: string;
  readonly label?: string;
}

async function answerAs(part: Claimed): Promise<string> {
  await page.evaluate(
    (parts: string) => {
      const { gallery } = window;
      const [request, part] = JSON.parse(parts);
      gallery.ask('c.1', request);
      const by = { ...gallery.by, clientId: gallery.client.clientId, ...part };
      const answer = { toolCallId: 'c', interactionId: 'c.1', answerId: 'a', action: 'deny' } as const;
      gallery.append({ type: 'interaction_response', payload: { ...answer, by } });
    },
    JSON.stringify([approval, part]),
  );
  await page.getByText('Denied').waitFor();
  return page.locator('parley-card summary').innerText();
}

/** Opens the receipt, and returns its line in full. */
async function openAs(part: Claimed): Promise<string> {
  await answerAs(part);
  await page.locator('parley-card summary').click();
  return page.locator('parley-card summary').innerText();
}

test.each<[Claimed, string]>([
  [{ principal: 'ann', name: 'Ann', label: 'Phone' }, 'by Ann · Answered on another device (Phone)'],
  [{ principal: 'ann', label: 'owner' }, 'by ann · Answered on another device (owner)'],
  [{ principal: 'ann', name: 'Ann' }, 'by Ann · Answered on another device'],
])('[RPL3, WEB3] an actor with another principal is never "you", whatever its client says: %j', async (part, words) => {
  const receipt = await openAs(part);
  expect(receipt).toContain(words);
  expect(receipt).not.toContain('by you');
});

test('[RPL3, WEB3] the line leaves the room to the question and the reason: the device is shown when it is opened', async () => {
  await page.setViewportSize({ width: 720, height: 800 });
  const line = await answerAs({ principal: 'bob', name: 'Bob', label: 'Chrome on Linux' });
  expect(line).toContain('by Bob');
  expect(line).not.toMatch(/device|Chrome/);
  const summary = page.locator('parley-card summary');
  const question = await summary.locator('.question').evaluate((it) => it.scrollWidth - it.clientWidth);
  expect(question).toBeLessThanOrEqual(0);
  await summary.click();
  expect(await summary.innerText()).toContain('Answered on another device (Chrome on Linux)');
  const [first, time, chevron] = await Promise.all(
    ['.mark', 'time', '.chevron'].map((part) => summary.locator(part).boundingBox()),
  );
  expect(Math.abs((time?.y ?? 0) - (first?.y ?? 99))).toBeLessThan(4);
  expect(Math.abs((chevron?.y ?? 0) - (first?.y ?? 99))).toBeLessThan(4);
});

test('[RPL3] an answer of this tab is by you', async () => {
  expect(await answerAs({ principal: 'owner' })).toContain('by you');
});

test('[RPL3, WEB3] an answer from another tab of this browser is not attributed to another browser', async () => {
  const receipt = await openAs({ clientId: 'other-tab', principal: 'owner', label: 'Chrome on Linux' });
  expect(receipt).toContain('Answered on another device or in another tab (Chrome on Linux)');
});

test('[RPL3, WEB5] on a phone an answer from one’s own other device is complete, and the device is cut', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await answerAs({ clientId: 'other-tab', principal: 'owner', label: 'Chrome on Linux' });
  const [answer, who] = await page
    .locator('parley-card summary')
    .locator('.answer, .who')
    .evaluateAll((parts) => parts.map(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth })));
  expect(answer?.clientWidth).toBe(answer?.scrollWidth);
  expect(who?.clientWidth).toBeLessThan(who?.scrollWidth ?? 0);
});

test('[RPL3, TEAM2] a message names its author and who changed it, the person first', async () => {
  await page.evaluate(() => {
    const { gallery } = window;
    const { clientId } = gallery.client;
    const from = { ...gallery.by, clientId, principal: 'ann', name: 'Ann', label: 'Phone' };
    const editedBy = [{ ...gallery.by, principal: 'boss', name: 'Bo', label: 'Ann' }];
    const message = { messageId: 'm', text: 'Go on', origin: 'user', from, editedBy } as const;
    gallery.append({ type: 'user_message', payload: message, turnId: 't' });
  });
  await page.getByText('Go on').waitFor();
  expect(await page.locator('.message .author').innerText()).toMatch(/^A\s*Ann/);
  expect(await page.locator('.message .meta').innerText()).toMatch(/^Phone · changed by Bo · /);
  const [message, column] = await Promise.all(
    ['.message .bubble', '.column'].map((part) => page.locator(part).first().boundingBox()),
  );
  const toLeft = (message?.x ?? 0) - (column?.x ?? 0);
  expect(toLeft).toBeLessThan((column?.width ?? 0) / 4); // at the left, as all that others say
});

test('[RPL3] a message from another tab of this browser is not attributed to another browser', async () => {
  await page.evaluate(() => {
    const { gallery } = window;
    const from = { ...gallery.by, clientId: 'other-tab', label: 'Chrome on Linux' };
    gallery.append({
      type: 'user_message',
      payload: { messageId: 'm', text: 'Go on', origin: 'user', from },
      turnId: 't',
    });
  });
  await page.getByText('Go on').waitFor();
  expect(await page.locator('.message .meta').innerText()).toMatch(
    /^from another device or tab \(Chrome on Linux\) · /,
  );
});

test('[TEAM2] the requester reads why somebody else must answer', async () => {
  const request = JSON.stringify({ ...approval, audience: { exclude: ['requester'] }, requesters: ['owner'] });
  await page.evaluate((text: string) => window.gallery.ask('c.1', JSON.parse(text)), request);
  await page.getByText('You asked for this, so somebody else must answer it.').waitFor();
  expect(await page.getByRole('button', { name: 'Allow once' }).count()).toBe(0);
});

test('[INT14, NTF1] a card says until when it waits, and why so long, if nobody need be looking', async () => {
  const ask = (id: string, part: object) =>
    page.evaluate(
      (text: string) => window.gallery.ask(...(JSON.parse(text) as [string, object])),
      JSON.stringify([id, { ...approval, ...part }]),
    );
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  await ask('c.1', { timeoutMs: 86_400_000, expiresAt, isUnwatched: true });
  const note = page.getByText(
    /^It waits until .*: people who may answer are notified, even if they are not looking\.$/,
  );
  await note.waitFor();
  await page.getByText(/2[34] h \d+ min left/).waitFor();
  await ask('d.1', { timeoutMs: 86_400_000, expiresAt }); // set explicitly
  await page.locator('parley-card').nth(1).waitFor();
  expect(await note.count()).toBe(1);
});
