import type { Field, FormSchema } from '@parleyhq/core';
import type { Locator, Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { useGallery } from './browser.ts';
import { input } from './samples.ts';

const openGallery = useGallery();
let page: Page;

beforeEach(async () => {
  page = await openGallery({ timezoneId: 'Europe/Berlin', locale: 'en-US' });
});

const formOf = (...fields: readonly Field[]): FormSchema => ({ type: 'form', fields: [...fields] });
const ask = (form: FormSchema, part: object = {}) =>
  page.evaluate((part) => window.gallery.ask('c.1', part), input(form, part) as object);
const lastInput = () => page.evaluate(() => window.gallery.answers().at(-1)?.input);
const countAnswers = () => page.evaluate(() => window.gallery.answers().length);
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const submit = () => press('OK');
const alert = (words: string) => page.getByRole('alert').getByText(words).waitFor();

/** Pastes into the focused field, as Ctrl+V does. */
async function paste(text: string): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate((text) => navigator.clipboard.writeText(text), text);
  await page.keyboard.press('ControlOrMeta+v');
}

const halves: readonly (readonly [string, Field, string])[] = [
  ['month and day', { id: 'it', type: 'date', label: 'Day' }, '0331'],
  ['a day that is in no calendar', { id: 'it', type: 'date', label: 'Day' }, '02312026'],
  ['month and day, required', { id: 'it', type: 'date', label: 'Day', required: true }, '0331'],
  ['an hour', { id: 'it', type: 'time', label: 'Time' }, '09'],
  ['a date without its time', { id: 'it', type: 'datetime', label: 'Moment' }, '03312026'],
  ['a date without its time, required', { id: 'it', type: 'datetime', label: 'Moment', required: true }, '03312026'],
];

test.each(halves)('[INT16] half a value is reported and not left out: %s', async (_, field, typed) => {
  await ask(formOf({ id: 'note', type: 'text', label: 'Note' }, field));
  await page.locator('#field-it').focus();
  await page.keyboard.type(typed);
  await submit();
  await alert('Not complete.');
  expect(await countAnswers()).toBe(0);
});

test('[INT16] half a date blocks Next and Back until it is cleared or completed', async () => {
  const date: Field = { id: 'day', type: 'date', label: 'Which day?' };
  const stepper: FormSchema = { ...formOf({ id: 'who', type: 'text', label: 'Who?' }, date), layout: 'stepper' };
  await ask(stepper);
  await press('Next');
  await page.getByText('Question 2 of 2').waitFor();
  await page.keyboard.type('0331');
  await press('Next');
  await page.getByText('Not complete.').first().waitFor();
  await press('Back');
  await page.getByText('Question 2 of 2').waitFor();
  await page.locator('#field-day').fill('2026-03-31');
  await press('Next');
  await page.getByText('Review your answers').waitFor();
  await submit();
  await expect.poll(lastInput).toEqual({ day: '2026-03-31' });
});

test('[INT16] the first field with an error gets the focus, whatever the error is', async () => {
  await ask(
    formOf({ id: 'day', type: 'date', label: 'Day' }, { id: 'who', type: 'text', label: 'Who?', required: true }),
  );
  await page.locator('#field-day').focus();
  await page.keyboard.type('03');
  await submit();
  await alert('Not complete.');
  expect(await page.locator('#field-day').evaluate((it) => it.matches(':focus'))).toBe(true);
});

test.each<Field>([
  { id: 'it', type: 'text', label: 'It', maxLength: 20 },
  { id: 'it', type: 'textarea', label: 'It', maxLength: 20 },
  { id: 'it', type: 'secret', label: 'It', maxLength: 20 },
])('[INT16] text pasted over the limit of a $type is kept whole, with an error', async (field) => {
  await ask(formOf(field));
  const control = page.locator('#field-it');
  await control.focus();
  await paste('abcdefghijklmnopqrstuvwxyz');
  await submit();
  await page.getByText('Must have at most 20 characters.').first().waitFor();
  expect(await control.inputValue()).toBe('abcdefghijklmnopqrstuvwxyz');
  expect(await countAnswers()).toBe(0);
});

test.each([
  ['36', 36],
  [' 5 ', 5],
  ['+5', 5],
  ['1,5', 1.5],
  ['1e3', 1000],
  ['１２', 12],
  ['٣٤', 34],
  ['-0.25', -0.25],
])('[INT16] %j in a number field is the number %d', async (typed, number) => {
  await ask(formOf({ id: 'it', type: 'number', label: 'It' }));
  await page.locator('#field-it').focus();
  await page.keyboard.type(typed);
  await submit();
  await expect.poll(lastInput).toEqual({ it: number });
});

test.each(['1.234,5', '1,234', '-', '1e', '0x10', 'about 5'])(
  '[INT16] %j in a number field is reported as not a number, and stays as it was typed',
  async (typed) => {
    await ask(formOf({ id: 'it', type: 'number', label: 'It' }));
    await page.locator('#field-it').focus();
    await paste(typed);
    await submit();
    await page.getByText('Must be a number, as in 1234.5.').first().waitFor();
    expect(await page.locator('#field-it').inputValue()).toBe(typed);
  },
);

test('[INT16] the mouse wheel over a focused number changes nothing', async () => {
  await ask(formOf({ id: 'it', type: 'number', label: 'It', defaultValue: 5, step: 1 }));
  await page.locator('#field-it').click();
  await page.mouse.wheel(0, -300);
  await submit();
  await expect.poll(lastInput).toEqual({ it: 5 });
});

test('[INT16] a default with several lines is shown and sent with its lines', async () => {
  await ask(formOf({ id: 'title', type: 'text', label: 'Title', defaultValue: 'Fix the bug\n\nIt was off by one' }));
  const control = page.locator('textarea#field-title');
  expect(await control.inputValue()).toBe('Fix the bug\n\nIt was off by one');
  await control.press('ControlOrMeta+End');
  await page.keyboard.type('!');
  await submit();
  await expect.poll(lastInput).toEqual({ title: 'Fix the bug\n\nIt was off by one!' });
});

test('[INT16] a multi-line control stays one while its lines are joined', async () => {
  await ask(formOf({ id: 'title', type: 'text', label: 'Title', defaultValue: 'one\ntwo' }));
  const control = page.locator('#field-title');
  await control.fill('one two');
  expect(await control.evaluate((it) => it.localName)).toBe('textarea');
  await submit();
  await expect.poll(lastInput).toEqual({ title: 'one two' });
});

test('[INT16] free text with several lines is shown with its lines', async () => {
  const field: Field = { id: 'it', type: 'select', label: 'It', other: true, options: [{ value: 'a', label: 'A' }] };
  await ask(formOf(field), { initialValues: { it: { other: 'first\nsecond' } } });
  expect(await page.getByLabel('Other, in your own words').inputValue()).toBe('first\nsecond');
  await submit();
  await expect.poll(lastInput).toEqual({ it: { other: 'first\nsecond' } });
});

test('[INT16] lines pasted into a single-line text are visibly joined by spaces', async () => {
  await ask(formOf({ id: 'it', type: 'text', label: 'It' }));
  await page.locator('#field-it').focus();
  await paste('one\ntwo\n');
  expect(await page.locator('#field-it').inputValue()).toBe('one two');
});

test('[INT17] lines pasted into a secret stay lines, behind dots', async () => {
  const key = '-----BEGIN KEY-----\nabc\n-----END KEY-----\n';
  await ask(formOf({ id: 'key', type: 'secret', label: 'Key' }));
  await page.locator('#field-key').focus();
  await paste(key);
  const control = page.locator('textarea#field-key');
  await control.waitFor();
  expect(await control.inputValue()).toBe(key);
  expect(await control.evaluate((it) => getComputedStyle(it).getPropertyValue('-webkit-text-security'))).toBe('disc');
  await expect.poll(() => control.evaluate((it) => it.matches(':focus'))).toBe(true);
  await submit();
  await expect.poll(lastInput).toEqual({ key });
});

const moment = (part: Partial<Field> = {}): FormSchema =>
  formOf({ id: 'at', type: 'datetime', label: 'At', ...part }, { id: 'note', type: 'text', label: 'Note' });

test.each([
  '2026-10-25T02:30:00+01:00', // the second time with this name in Berlin
  '2026-10-25T02:30:00+02:00',
  '2026-07-01T10:00:00Z',
  '2026-07-01T10:00:00.678+09:00',
])('[INT16] a date-time that nobody touched is sent back unchanged: %s', async (defaultValue) => {
  await ask(moment({ defaultValue, min: defaultValue, max: defaultValue }));
  await page.getByLabel('Note').fill('x');
  await submit();
  await expect.poll(lastInput).toEqual({ at: defaultValue, note: 'x' });
});

test('[INT16] a time skipped by the clocks is an error, and of one that occurs twice the first is meant', async () => {
  await ask(moment());
  await page.locator('#field-at').fill('2026-03-29T02:30');
  await submit();
  await page.getByText('That time does not exist on that day.').first().waitFor();
  expect(await countAnswers()).toBe(0);
  await page.locator('#field-at').fill('2026-10-25T02:30');
  await submit();
  await expect.poll(lastInput).toEqual({ at: '2026-10-25T02:30:00+02:00' });
});

test('[INT16] a date-time is sent as it is shown, to the fraction of a second', async () => {
  await ask(moment({ defaultValue: '2026-07-01T10:00:00.678Z' }));
  const control = page.locator('#field-at');
  expect(await control.inputValue()).toBe('2026-07-01T12:00:00.678');
  await control.fill('2026-07-02T12:00:00.678');
  await submit();
  await expect.poll(lastInput).toEqual({ at: '2026-07-02T12:00:00.678+02:00' });
});

test('[INT16] an unticked checkbox is sent as false', async () => {
  await ask(formOf({ id: 'ok', type: 'checkbox', label: 'OK?' }));
  await submit();
  await expect.poll(lastInput).toEqual({ ok: false });
});

/** Returns where a part of an element's text begins on the screen, from the left. */
const leftOf = (locator: Locator, part: string) =>
  locator.evaluate((element, part) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const at = node.textContent?.indexOf(part) ?? -1;
      if (at < 0) continue;
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + part.length);
      return range.getBoundingClientRect().left;
    }
    throw new Error(`There is no ${part}.`);
  }, part);

test('[SEC5, WEB1] right-to-left text keeps its direction in options, receipts and values, whatever it contains', async () => {
  const options = [{ value: 'a', label: 'القاهرة (v2) 12' }];
  await ask(
    formOf(
      { id: 'name', type: 'text', label: 'الاسم (1)', defaultValue: 'محمد (ABC) 12' },
      { id: 'city', type: 'radio', label: 'City', options },
    ),
  );
  const label = page.locator('label', { hasText: 'القاهرة' });
  expect(await leftOf(label, '12')).toBeLessThan(await leftOf(label, 'القاهرة'));
  await submit();
  await page.locator('.receipt summary').click();
  const [name, value] = [page.locator('dt', { hasText: 'الاسم' }), page.locator('dd', { hasText: 'محمد' })];
  expect(await leftOf(value, '12')).toBeLessThan(await leftOf(value, 'محمد'));
  expect(await leftOf(name, '(1)')).toBeLessThan(await leftOf(name, 'الاسم'));
});
