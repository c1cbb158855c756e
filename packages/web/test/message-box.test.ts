import type { Field, FormSchema } from '@parleyhq/core';
import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { useAsking } from './asking.ts';
import { pressUntilGone } from './browser.ts';
import { approval, database, input, oneField } from './samples.ts';

const { page: currentPage, ask, answers, box, holdTime, askHeld } = useAsking();
let page: Page;

beforeEach(() => {
  page = currentPage();
});

/** Presses Enter until it answers: a question must have been there for half a second. */
const enter = () =>
  expect
    .poll(() =>
      box()
        .press('Enter')
        .then(() => box().inputValue()),
    )
    .toBe('');

test('[WEB9, SEC5] text written before a question appeared does not answer it, even if Enter follows at once', async () => {
  await holdTime();
  await askHeld('c.1', database());
  await box().fill('ok');
  await box().press('Enter');
  expect(await box().inputValue()).toBe('ok');
  expect(await answers()).toEqual([]);
  await page.clock.runFor(600);
  await box().press('Enter');
  await expect.poll(answers).toEqual([{ action: 'submit', input: { answer: { other: 'ok' } } }]);
});

const chip = (words: string) => page.locator('parley-composer .target p').getByText(words).waitFor();

test('[WEB9] words for an approval become the reason on its card, and nothing is sent before a button is pressed', async () => {
  await ask('c.1', approval);
  await chip('Reason for: Deploy to production?');
  await box().fill('Yes, go ahead');
  await enter();
  const reason = page.getByLabel('Reason (the agent reads it)');
  await expect.poll(() => reason.inputValue()).toBe('Yes, go ahead');
  await expect.poll(() => reason.evaluate((it) => it.matches(':focus'))).toBe(true);
  expect(await answers()).toEqual([]);
  await box().fill('but quickly');
  await page.getByRole('button', { name: 'Use as the reason' }).click();
  await expect.poll(() => reason.inputValue()).toBe('Yes, go ahead but quickly');
  await pressUntilGone(page.getByRole('button', { name: 'Allow once' })); // the card may just have moved
  await expect.poll(answers).toEqual([{ action: 'approve', reason: 'Yes, go ahead but quickly' }]);
});

const isFocused = (name: string) => page.getByLabel(name, { exact: true }).evaluate((it) => it.matches(':focus'));

test('[WEB5] Enter on a card enters its form, and in a form submits only from a field that was changed', async () => {
  const fields: Field[] = [
    { id: 'name', type: 'text', label: 'Name' },
    { id: 'size', type: 'radio', label: 'Size', options: [{ value: 's', label: 'Small' }] },
    { id: 'city', type: 'text', label: 'City' },
  ];
  await ask('c.1', input({ type: 'form', fields }, { initialValues: { city: 'Rome' } }));
  await page.getByRole('heading', { name: 'A question' }).focus();
  await page.keyboard.press('Enter');
  expect(await isFocused('Name')).toBe(true);
  await page.keyboard.press('Enter');
  expect(await isFocused('Small')).toBe(true);
  await page.keyboard.press('Enter');
  expect(await isFocused('City')).toBe(true);
  await page.keyboard.press('Enter');
  expect(await page.getByRole('button', { name: 'OK' }).evaluate((it) => it.matches(':focus'))).toBe(true);
  expect(await answers()).toEqual([]);
  await page.getByLabel('Name').fill('Ada');
  await page.keyboard.press('Enter');
  await expect.poll(answers).toEqual([{ action: 'submit', input: { name: 'Ada', city: 'Rome' } }]);
});

test('[WEB5] Ctrl+Enter submits from the card and from any field', async () => {
  await ask(
    'c.1',
    input({ type: 'form', fields: [{ id: 'city', type: 'text' }] }, { initialValues: { city: 'Rome' } }),
  );
  await page.getByRole('heading', { name: 'A question' }).focus();
  await page.keyboard.press('Control+Enter');
  await expect.poll(answers).toEqual([{ action: 'submit', input: { city: 'Rome' } }]);
});

test('[WEB9] words in the message box answer a question for words, and choose an option by its number or label', async () => {
  await ask('c.1', input(oneField));
  await chip('Answers: ');
  await box().fill('ada@example.org');
  await enter();
  await ask('d.1', database());
  await chip('Answers: ');
  await box().fill('2');
  await enter();
  await page.locator('parley-composer .target').waitFor({ state: 'detached' });
  await ask('e.1', database());
  await chip('Answers: '); // what is written before is a message
  await box().fill('MySQL');
  await enter();
  await page.locator('summary').getByText('MySQL').waitFor();
  expect(await answers()).toEqual([
    { action: 'submit', input: { email: 'ada@example.org' } },
    { action: 'submit', input: { answer: 's' } },
    { action: 'submit', input: { answer: { other: 'MySQL' } } },
  ]);
});

test('[WEB9] words that name none of the options stay in the box, with an error, and choose nothing', async () => {
  const field = { ...(database().inputSchema as FormSchema).fields[0], other: undefined } as Field;
  await ask('c.1', input({ type: 'form', fields: [field] }));
  await chip('Answers: ');
  await box().fill('MySQL');
  await expect
    .poll(() =>
      box()
        .press('Enter')
        .then(() => page.getByText('No option has this number or name.').isVisible()),
    )
    .toBe(true);
  expect(await box().inputValue()).toBe('MySQL');
  expect(await answers()).toEqual([]);
  await box().fill('sqlite');
  await enter();
  await expect.poll(answers).toEqual([{ action: 'submit', input: { answer: 's' } }]);
});

test('[WEB9] a text that looks like a command answers if the person says so', async () => {
  await ask('c.1', input({ type: 'form', fields: [{ id: 'path', type: 'text', label: 'Path', required: true }] }));
  await chip('Answers: ');
  await box().fill('/etc/hosts');
  await page.getByText('A message: the agent reads it after the answer').waitFor();
  await page.getByRole('button', { name: 'Answer instead' }).click();
  await enter();
  await expect.poll(answers).toEqual([{ action: 'submit', input: { path: '/etc/hosts' } }]);
});

test('[WEB9] commands and text begun before a question stay messages, and so does text while two are open', async () => {
  const queue = page.getByRole('list', { name: 'Queued messages' });
  await page.evaluate(() => window.gallery.startTurn());
  await box().fill('A thought');
  await ask('c.1', approval);
  await page.getByText('A message: the agent reads it after the answer').waitFor();
  await box().press('Enter');
  await queue.getByText('A thought').waitFor();
  await chip('Reason for: ');
  await box().fill('/call other');
  await page.getByText('A message: the agent reads it after the answer').waitFor();
  await box().press('Enter');
  await queue.getByText('/call other').waitFor();

  await page.getByRole('button', { name: 'Write a message instead' }).click();
  await box().fill('By choice');
  await box().press('Enter');
  await queue.getByText('By choice').waitFor();
  await box().fill('Again'); // the choice lasts as long as the question is open
  await box().press('Enter');
  await queue.getByText('Again').waitFor();

  await ask('d.1', approval);
  await page.locator('[id="d.1"]').getByRole('heading').waitFor();
  await page.getByText('A message: the agent reads it after the answer').waitFor();
  await box().fill('To nobody');
  await box().press('Enter');
  await queue.getByText('To nobody').waitFor();
  expect(await answers()).toEqual([]);
});

test('[WEB9] if its question is settled meanwhile, text is not sent by the same Enter, and becomes a message', async () => {
  await holdTime();
  await askHeld('c.1', approval);
  await box().fill('No, because');
  await page.evaluate(() => {
    const { append, by } = window.gallery;
    const answer = { toolCallId: 'c', interactionId: 'c.1', answerId: 'a', action: 'deny', by } as const;
    append({ type: 'interaction_response', payload: answer });
  });
  await page.clock.runFor(100);
  await page.getByText('It is settled: what you wrote is a message now').waitFor();
  await box().press('Enter');
  expect(await box().inputValue()).toBe('No, because');
  await page.clock.runFor(600);
  await box().press('Enter');
  await expect.poll(() => box().inputValue()).toBe('');
  expect(await answers()).toEqual([]);
});
