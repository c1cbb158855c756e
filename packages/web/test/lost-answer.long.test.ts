import type { FormSchema } from '@parleyhq/core';
import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { findViolations } from './axe.ts';
import { useGallery } from './browser.ts';
import { approval, database, input } from './samples.ts';

const openGallery = useGallery();
let page: Page;

beforeEach(async () => {
  page = await openGallery();
});

const ask = (id: string, part: object) =>
  page.evaluate(([id, part]) => window.gallery.ask(id, part), [id, part] as const);

test('[INT5, WEB3] a person whose answer came too late sees whose answer counts, and keeps their own text', async () => {
  await ask('c.1', database());
  await page.evaluate(() => {
    const { server, append, by, makeRefusal } = window.gallery;
    server.refuse = (frame) => {
      if (frame.type !== 'tool_interaction_response') return undefined;
      const ids = { toolCallId: 'c', interactionId: 'c.1', answerId: 'a' };
      const first = { ...ids, action: 'submit', input: { answer: 'p' }, by: { ...by, principal: 'g', name: 'Grace' } };
      append({ type: 'interaction_response', payload: first as never });
      return makeRefusal({ code: 'already_answered', message: 'Somebody else answered first.' });
    };
  });
  await page.getByText('SQLite', { exact: true }).click();
  await page.getByRole('button', { name: 'OK' }).click();
  const words = page.getByRole('status').filter({ hasText: 'answered first' });
  await words.waitFor();
  expect(await words.innerText()).toContain('Yours (SQLite) was not used');
  expect(await words.innerText()).toMatch(/^Grace answered first: PostgreSQL/);
  await page.evaluate(() => {
    navigator.clipboard.writeText = async (text) => {
      document.title = text;
    };
  });
  await page.getByRole('button', { name: 'Copy your answer' }).click();
  await expect.poll(() => page.title()).toBe('SQLite');
});

const graceFirst = (action: string, part: object = {}) =>
  page.evaluate(
    ([action, part]) => {
      const { append, by } = window.gallery;
      const grace = { ...by, principal: 'g', name: 'Grace' };
      const answer = { toolCallId: 'c', interactionId: 'c.1', answerId: 'a', by: grace, action, ...part };
      append({ type: 'interaction_response', payload: answer as never });
    },
    [action, part] as const,
  );

/** Returns the text about one's own answer, and what its button copies. */
async function readLost(): Promise<readonly [words: string, copied: string]> {
  const words = page.getByRole('status').filter({ hasText: 'was not used' });
  await words.waitFor();
  await page.evaluate(() => {
    navigator.clipboard.writeText = async (text) => {
      document.title = text;
    };
  });
  const before = await page.title();
  await page.getByRole('button', { name: 'Copy your answer' }).click();
  await expect.poll(() => page.title()).not.toBe(before);
  return [await words.innerText(), await page.title()];
}

test('[INT5, INT18] what was entered but not sent when somebody else answered can be copied', async () => {
  await ask('c.1', database());
  await page.getByRole('button', { name: 'Add a note' }).click();
  await page.getByText('SQLite', { exact: true }).click();
  await page.getByRole('textbox', { name: 'Notes' }).fill('It needs no ser');
  await graceFirst('submit', { input: { answer: 'p' } });
  const [words, copied] = await readLost();
  expect(words).toMatch(/^Grace answered first: PostgreSQL.* Yours \(.*\) was not used/);
  expect(copied).toBe('Answer: SQLite Notes: It needs no ser'); // a title shows no line breaks
  expect(await findViolations(page)).toEqual([]);
});

test('[INT5] a person who entered nothing sees none of this, nor does the person who answered', async () => {
  await ask('c.1', database());
  await graceFirst('submit', { input: { answer: 'p' } });
  await page.locator('.receipt').waitFor();
  await ask('d.1', database({ title: 'Which other?' }));
  await page.getByRole('radio', { name: 'SQLite' }).click();
  await page.getByText('by you').waitFor();
  expect(await page.getByText('was not used').count()).toBe(0);
});

test('[INT5] what was entered can also be copied after the prompt expired', async () => {
  const about: FormSchema = {
    type: 'form',
    fields: [
      { id: 'name', type: 'text', label: 'Name', defaultValue: 'Ada' },
      { id: 'about', type: 'textarea', label: 'About' },
    ],
  };
  await ask('c.1', input(about));
  await page.getByLabel('About').fill('Half of a sen');
  await page.evaluate(() => {
    const ids = { toolCallId: 'c', interactionId: 'c.1' };
    window.gallery.append({ type: 'interaction_closed', payload: { ...ids, reason: 'timeout' } });
  });
  const [words, copied] = await readLost();
  expect(words).toMatch(/^It closed before you answered\. Yours \(Half of a sen\) was not used/);
  expect(copied).toBe('Half of a sen');
});

test('[INT5] a half-written reason can be copied after somebody else decided', async () => {
  await ask('c.1', approval);
  await page.getByRole('button', { name: 'Add a reason' }).click();
  await page.getByLabel('Reason (the agent reads it)').fill('Not on a Fri');
  await graceFirst('approve', { approvalScope: 'once' });
  const [words, copied] = await readLost();
  expect(words).toMatch(/^Grace answered first: Allowed once\. Yours \(Not on a Fri\)/);
  expect(copied).toBe('Not on a Fri');
});

test('[INT5, WEB5] the notice about a late answer is scrolled into view, and takes no focus', async () => {
  const talk = (from: number) =>
    page.evaluate((from) => {
      const say = (n: number) => ({ block: 0, text: `Line ${n}. `.repeat(60) });
      for (let n = from; n < from + 12; n += 1)
        window.gallery.append({ type: 'assistant_done', payload: say(n), turnId: 't1', responseId: `l${n}` });
    }, from);
  await page.evaluate(() => window.gallery.startTurn());
  await talk(0);
  await ask('c.1', database());
  await talk(12);
  await page.evaluate(() => {
    const { server, makeRefusal } = window.gallery;
    server.refuse = ({ type }) =>
      type === 'tool_interaction_response' ? makeRefusal({ code: 'invalid', message: 'Not now.' }) : undefined;
  });
  await page.getByRole('radio', { name: 'SQLite' }).click();
  await page.getByText('Not accepted.').waitFor();
  const card = page.locator('parley-card');
  const scroller = page.locator('parley-transcript .scroll');
  await scroller.focus();
  // The upper edge of the card is in view, above the message box.
  const edge = async () =>
    ((await card.boundingBox())?.y ?? 0) -
    ((await scroller.boundingBox())?.height ?? 0) -
    ((await scroller.boundingBox())?.y ?? 0);
  await scroller.evaluate((it, by) => it.scrollBy(0, by), (await edge()) + 20);
  await expect.poll(async () => Math.round(await edge())).toBe(-20);
  await graceFirst('submit', { input: { answer: 'p' } });
  await page.getByText('was not used').waitFor();
  const isWhole = async () => {
    const [inner, outer] = [await card.boundingBox(), await scroller.boundingBox()];
    return (
      inner !== null &&
      outer !== null &&
      inner.height < 120 &&
      inner.y >= outer.y &&
      inner.y + inner.height <= outer.y + outer.height
    );
  };
  await expect.poll(isWhole).toBe(true);
  expect(await scroller.evaluate((it) => it.matches(':focus'))).toBe(true);
});
