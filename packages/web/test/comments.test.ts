import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { findViolations } from './axe.ts';
import { useGallery } from './browser.ts';
import { approval } from './samples.ts';

const openGallery = useGallery();
let page: Page;

beforeEach(async () => {
  page = await openGallery();
});

const plan = { kind: 'markdown', text: '# Plan\n\n1. Build\n2. Deploy, and watch\n3. Delete' };
const ask = (id: string, part: object = {}) => {
  const whole: object = { ...approval, subject: plan, ...part };
  return page.evaluate(([id, whole]) => window.gallery.ask(id, whole), [id, whole] as const);
};
const lastAnswer = () => page.evaluate(() => window.gallery.answers().at(-1));
const button = (name: string | RegExp) => page.getByRole('button', { name });
const open = async () => {
  await button('Comment on lines').click();
  await button(/^Line 1:/).waitFor();
};

test('[REV1, WEB3] lines are commented on, the buttons say so, and the receipt shows each comment below its quote', async () => {
  await ask('c.1');
  await open();
  await button('Line 4: 2. Deploy, and watch').click();
  await page.getByRole('textbox', { name: 'comment on line 4' }).fill('Not on a Friday.');
  await button('Suggest a change').click();
  await page.getByRole('textbox', { name: 'Instead of these lines' }).fill('2. Deploy on Monday');
  await button('Done').click();
  await button('Line 5: 3. Delete').click();
  await page.getByRole('textbox', { name: 'comment on line 5' }).fill('Why?');
  await button(/^Allow once with 2 comments/).waitFor();
  await button(/^Deny with 2 comments/).click();
  await page.getByText('Denied').click();
  expect(await button('Copy your answer').count()).toBe(0);
  await page.getByText('2. Deploy, and watch').last().waitFor();
  expect(await page.getByRole('list', { name: 'Comments' }).innerText()).toMatch(
    /Line 4\s+2\. Deploy, and watch\s+Not on a Friday\.\s+Replace this by:\s+2\. Deploy on Monday\s+Line 5\s+3\. Delete\s+Why\?/,
  );
  expect(await lastAnswer()).toMatchObject({
    action: 'deny',
    digest: 'digest-c.1',
    annotations: [
      { lines: [4, 4], quote: '2. Deploy, and watch', comment: 'Not on a Friday.', replacement: '2. Deploy on Monday' },
      { lines: [5, 5], quote: '3. Delete', comment: 'Why?' },
    ],
  });
});

test('[REV1, WEB5] by the keyboard: c opens the lines and comments on one, Shift takes several, Escape keeps what was typed', async () => {
  await ask('c.1');
  await page.getByRole('heading', { name: 'Deploy to production?' }).focus();
  await page.keyboard.press('c');
  await expect.poll(() => button(/^Line 1:/).evaluate((it) => it.matches(':focus'))).toBe(true);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('c');
  await page.keyboard.type('c is typed here');
  await button(/^Line 5:/).click({ modifiers: ['Shift'] });
  await page.keyboard.press('Escape');
  await expect.poll(() => button(/^Line 5:/).evaluate((it) => it.matches(':focus'))).toBe(true);
  await button('Change the comment on lines 3 to 5').click();
  expect(await page.getByRole('textbox', { name: 'comment on lines 3 to 5' }).inputValue()).toBe('c is typed here');
  expect(await findViolations(page)).toEqual([]);
  await button('Remove').click();
  await button('Stop commenting').click();
  await page.getByText('As it was written').waitFor();
  expect(await button(/with 1 comment/).count()).toBe(0);
});

test('[REV1, INT18] comments survive a reload, and those whose lines are still there a new attempt', async () => {
  await ask('c.1');
  await open();
  for (const n of [1, 5]) {
    await button(new RegExp(`^Line ${n}:`)).click();
    await page.getByRole('textbox', { name: `comment on line ${n}` }).fill('Why?');
    await button('Done').click();
  }
  await page.reload();
  await ask('c.1');
  await button(/^Deny with 2 comments/).waitFor();
  const text = '# Plan\n\n1. Build';
  await page.evaluate(
    ([part]) => {
      const { append, request, by } = window.gallery;
      const payload = { toolCallId: 'c', interactionId: 'c.1', answerId: 'a', action: 'deny', by };
      append({ type: 'interaction_response', payload: payload as never });
      request('c.2', { ...part, replaces: 'c.1', attempt: 2 } as never);
    },
    [{ ...approval, subject: { ...plan, text } } as object] as const,
  );
  await button(/^Deny with 1 comment/).waitFor();
});

test('[REV1] in a diff a comment has the side of its lines', async () => {
  await ask('c.1', { subject: { kind: 'diff', text: '@@ -1,2 +1,2 @@\n a\n-b\n+c' } });
  await open();
  await button('Line 4: +c').click();
  await page.getByRole('textbox', { name: /^comment on line 4/ }).fill('Why?');
  await button(/^Allow once with 1 comment/).click();
  await expect.poll(lastAnswer).toMatchObject({ annotations: [{ lines: [4, 4], side: 'new', quote: '+c' }] });
});

test('[REV1, INT18] comments and a reason from another tab are shown while nothing is entered here, and these are relayed', async () => {
  await ask('c.1', { editable: true, args: { to: 'production' } });
  const quoted = { lines: [5, 5], quote: '3. Delete', comment: 'Why?' };
  const relay = (values: object) =>
    page.evaluate((values) => {
      const frame = { type: 'draft', sessionId: 's', interactionId: 'c.1', values };
      window.gallery.server.sendToAll(frame as never);
    }, values);
  const reason = page.getByRole('textbox', { name: /^Reason/ });
  await button('Edit').waitFor();
  const edited = '{"to":"nowhere"}'; // would be allowed unread
  await relay({ reason: 'Not ye', edited, comments: [quoted, { ...quoted, quote: 'another line' }] });
  await button(/^Deny with 1 comment/).waitFor();
  expect(await reason.inputValue()).toBe('Not ye');
  expect(await page.locator('parley-approval[editing]').count()).toBe(0);
  await relay({ reason: 'Not yet', comments: [quoted] });
  await expect.poll(() => reason.inputValue()).toBe('Not yet');
  await reason.fill('Not yet, please');
  const received = () => page.evaluate(() => window.gallery.server.received.at(-1));
  const values = { reason: 'Not yet, please', comments: [quoted] };
  await expect.poll(received).toMatchObject({ type: 'draft', interactionId: 'c.1', values });
  await relay({ reason: 'Something else' });
  await button(/^Deny with 1 comment/).click();
  await expect.poll(lastAnswer).toMatchObject({ reason: 'Not yet, please', annotations: [quoted] });
});

test('[REV1, WEB5] Shift and arrows select lines, which Enter comments on', async () => {
  await ask('c.1');
  await open();
  await button('Line 3: 1. Build').focus();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'comment on lines 3 to 5' }).fill('All at once?');
  await page.keyboard.press('Escape');
  await button(/^Deny with 1 comment/).click();
  expect(await lastAnswer()).toMatchObject({ annotations: [{ lines: [3, 5], comment: 'All at once?' }] });
});

test('[REV1] a suggested change of a diff begins with what its lines read afterwards', async () => {
  const text = '--- a\n+++ a\n@@ -1,2 +1,2 @@\n one\n-two\n+three';
  await ask('c.1', { subject: { kind: 'diff', text } });
  await open();
  await button('Line 4: one').click();
  await button('Line 6: +three').click({ modifiers: ['Shift'] });
  await button('Suggest a change').click();
  expect(await page.getByRole('textbox', { name: 'Instead of these lines' }).inputValue()).toBe('one\nthree');
});

test('[WEB7] lines that were read to their end count as read', async () => {
  const text = Array.from({ length: 80 }, (_, n) => `line ${n}`).join('\n');
  await ask('c.1', { subject: { kind: 'text', text } });
  await page.getByText('Read to the end to allow it.').waitFor();
  await open();
  await button('Line 80: line 79').scrollIntoViewIfNeeded();
  await page.locator('parley-line-comments .lines').evaluate((it) => it.scrollTo(0, it.scrollHeight));
  await page.getByText('Read to the end to allow it.').waitFor({ state: 'detached' });
});

test('[REV1] on a phone, lines with a comment and a reason leave the question and the files in reach', async () => {
  await page.setViewportSize({ width: 390, height: 730 });
  const text = Array.from({ length: 40 }, (_, n) => `${n}. Build`).join('\n');
  await ask('c.1', { subject: { kind: 'text', text } });
  await open();
  await button('Line 1: 0. Build').click();
  await page.getByRole('textbox', { name: 'comment on line 1' }).fill('How?');
  await button('Add a reason').click();
  await button('Attach files').click();
  const files = page.locator('parley-attachments .drop');
  await files.waitFor();
  const isUncovered = () =>
    files.evaluate((it) => {
      it.scrollIntoView({ block: 'center' });
      const { left, top, height } = it.getBoundingClientRect();
      const at = [left + 5, top + height / 2] as const;
      let hit = document.elementFromPoint(...at);
      for (let inner = hit; inner && inner !== it; ) {
        hit = inner;
        const next = inner.shadowRoot?.elementFromPoint(...at) ?? null;
        inner = next === inner ? null : next;
      }
      return it.contains(hit) || it === hit;
    });
  await expect.poll(isUncovered).toBe(true);
});

/** Lets Grace answer, and returns what then can be copied. */
async function copyLost(): Promise<string> {
  await page.evaluate(() => {
    const { append, by } = window.gallery;
    const grace = { ...by, principal: 'g', name: 'Grace' };
    const payload = { toolCallId: 'c', interactionId: 'c.1', answerId: 'a', by: grace, action: 'approve' };
    append({ type: 'interaction_response', payload: payload as never });
    navigator.clipboard.writeText = async (text) => {
      document.body.dataset.copied = text;
    };
  });
  await button('Copy your answer').click();
  return page.evaluate(() => document.body.dataset.copied ?? '');
}

test('[REV1, INT5] a change that was suggested but not sent when somebody else answered can be copied', async () => {
  await ask('c.1');
  await open();
  await button('Line 5: 3. Delete').click();
  await button('Suggest a change').click();
  await page.getByRole('textbox', { name: 'Instead of these lines' }).fill('3. Archive');
  expect(await copyLost()).toContain('3. Archive');
});

test('[REV1, REV4, INT5] so can the comments of an answer that came too late, and what was not said yet', async () => {
  await ask('c.1');
  await button('Discuss').click();
  await page.getByRole('textbox', { name: /^Comment on “/ }).fill('Is it tested?');
  await open();
  await button('Line 5: 3. Delete').click();
  await page.getByRole('textbox', { name: 'comment on line 5' }).fill('Why?');
  await page.evaluate(() => {
    const { server, makeRefusal } = window.gallery;
    server.refuse = ({ type }) =>
      type === 'tool_interaction_response'
        ? makeRefusal({ code: 'already_answered', message: 'Somebody else answered first.' })
        : undefined;
  });
  await button(/^Deny with 1 comment/).click();
  expect(await copyLost()).toBe('Denied, Why?\nIs it tested?');
});

test('[REV1, INT18] a malformed draft from another tab changes nothing', async () => {
  await ask('c.1');
  for (const comments of [[null], [{}], [{ lines: [1, 1], quote: '# Plan', comment: 7 }], ['x'], {}])
    await page.evaluate((comments) => {
      const frame = { type: 'draft', sessionId: 's', interactionId: 'c.1', values: { comments } };
      window.gallery.server.sendToAll(frame as never);
    }, comments);
  await open();
  await button('Line 5: 3. Delete').click();
  await page.getByRole('textbox', { name: 'comment on line 5' }).fill('Why?');
  await button(/^Deny with 1 comment$/).waitFor();
});
