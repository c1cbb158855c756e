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

const ask = (id: string, text: string, part: object = {}) => {
  const whole: object = { ...approval, subject: { kind: 'markdown', text }, ...part };
  return page.evaluate(([id, whole]) => window.gallery.ask(id, whole), [id, whole] as const);
};

const deny = (id: string, part: object = {}) =>
  page.evaluate(
    ([id, part]) => {
      const { append, by } = window.gallery;
      const payload = { toolCallId: id.split('.')[0], interactionId: id, answerId: `a-${id}`, action: 'deny', by };
      append({ type: 'interaction_response', payload: { ...payload, ...part } as never });
    },
    [id, part] as const,
  );

test('[REV3] a plan that comes again offers what changed since it was denied, with the comments on it', async () => {
  await ask('a.1', '# Plan\n\n1. Build\n2. Deploy\n3. Delete');
  const annotations = [
    { lines: [3, 3], quote: '1. Build', comment: 'With the tests.' },
    { lines: [4, 4], quote: '2. Deploy', comment: 'Not on a Friday.' },
  ];
  await deny('a.1', { reason: 'Not like this.', annotations });
  await ask('b.1', '# Plan\n\n0. Test\n1. Build\n2. Deploy on Monday\n3. Delete');
  const summary = page.getByText('Changes since the version that you denied with 2 comments');
  await summary.click();
  const changes = page.getByRole('group', { name: 'Changes' }).locator('pre');
  await changes.waitFor();
  await expect
    .poll(() => changes.innerText())
    .toMatch(/ # Plan\s+\+0\. Test\s+ 1\. Build\s+-2\. Deploy\s+\+2\. Deploy on Monday\s+ 3\. Delete/);
  await page.getByText('Denied because: “Not like this.”').waitFor();
  const comments = await page.locator('parley-since-denied').getByRole('list', { name: 'Comments' }).innerText();
  expect(comments).toMatch(
    /Line 3: not changed, now line 4\s+1\. Build\s+With the tests\.\s+Line 4: changed\s+2\. Deploy\s+Not on a Friday\./,
  );
  expect(await findViolations(page)).toEqual([]);
});

test('[REV3, WEB7] reading the changes is not reading the whole', async () => {
  const long = Array.from({ length: 200 }, (_, at) => `${at}. Step`).join('\n');
  await ask('a.1', long);
  await deny('a.1');
  await ask('b.1', `${long}\nThe end`);
  await page.getByText('Changes since the version that you denied').click();
  await page.getByText('+The end').waitFor();
  await page.getByText('Read to the end to allow it.').waitFor();
});

test('[REV3] a plan that comes again unchanged says so; what was allowed, or is about something else, is not compared', async () => {
  await ask('a.1', 'Same');
  await deny('a.1');
  await ask('b.1', 'Same');
  await page.getByText('The same text was denied before').waitFor();
  await ask('c.1', 'Other', { subject: { kind: 'text', text: 'Other' } });
  await page.locator('parley-card[id="c.1"] parley-subject').getByText('Other').waitFor();
  expect(await page.locator('parley-card[id="c.1"] summary').count()).toBe(0);
});
