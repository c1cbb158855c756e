import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { findViolations } from './axe.ts';
import { useGallery } from './browser.ts';
import { everyField, input, oneField } from './samples.ts';

const openGallery = useGallery();
let page: Page;

beforeEach(async () => {
  page = await openGallery({ timezoneId: 'Europe/Paris', locale: 'en-GB' });
});

const ask = (id: string, part: object) =>
  page.evaluate(([id, part]) => window.gallery.ask(id, part), [id, part] as const);
const lastAnswer = () => page.evaluate(() => window.gallery.answers().at(-1));
const box = (name: string | RegExp) => page.getByRole('textbox', { name });

test('[INT16] every type of field submits its value in the right format', async () => {
  await ask('c.1', input(everyField));
  await box('Full name').fill('Ada');
  await box('About you').fill('First\nSecond');
  await page.getByRole('spinbutton', { name: 'Age' }).fill('36');
  await page.getByRole('checkbox', { name: 'Send me news' }).check();
  await page.getByRole('combobox', { name: 'Home town' }).selectOption({ label: 'Other …' });
  await page.getByLabel('Other, in your own words').fill('Bath');
  await page.getByRole('group', { name: 'Languages' }).getByText('Oslo').click();
  await page.getByRole('radiogroup', { name: 'Reach me by' }).getByText('Lisbon').click();
  await page.getByLabel('First day').fill('2026-03-31');
  await page.getByLabel('Time', { exact: true }).fill('09:30');
  await page.getByLabel('Call me at').fill('2026-07-01T18:05');
  await page.getByLabel('Password').fill('hush');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Submitted').waitFor();
  expect(await lastAnswer()).toMatchObject({
    action: 'submit',
    input: {
      name: 'Ada',
      about: 'First\nSecond',
      age: 36,
      news: true,
      city: { other: 'Bath' },
      tongues: ['oslo'],
      contact: 'lisbon',
      day: '2026-03-31',
      time: '09:30',
      moment: '2026-07-01T18:05:00+02:00',
      password: 'hush',
    },
  });
  await page.getByText('Submitted 11 answers').click();
  await page.locator('dd').getByText('••••').waitFor();
  await page.locator('dd').getByText('Bath').waitFor();
});

test('[INT16] empty optional fields and hidden fields are absent from the answer', async () => {
  await ask('c.1', input(everyField));
  await box('Full name').fill('Ada');
  await page.getByRole('radiogroup', { name: 'Reach me by' }).getByText('Oslo').click();
  await box('Phone').fill('123');
  await page.getByRole('radiogroup', { name: 'Reach me by' }).getByText('Lisbon').click();
  expect(await box('Phone').count()).toBe(0);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Submitted').waitFor();
  expect((await lastAnswer())?.input).toEqual({ name: 'Ada', news: false, contact: 'lisbon' });
});

test('[INT6] errors are found before anything is sent, and shown at their fields in the core’s words', async () => {
  await ask('c.1', input(everyField));
  await page.getByRole('spinbutton', { name: 'Age' }).fill('200');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').getByText('Required.').waitFor();
  expect(await box('Full name').getAttribute('aria-invalid')).toBe('true');
  const described = await page.getByRole('spinbutton', { name: 'Age' }).evaluate((element) => {
    const ids = element.getAttribute('aria-describedby')?.split(' ') ?? [];
    return ids.map((id) => (element.getRootNode() as ShadowRoot).getElementById(id)?.textContent);
  });
  expect(described).toEqual(['Must be at most 150.']);
  expect(await box('Full name').evaluate((element) => element.matches(':focus'))).toBe(true);
  expect(await page.evaluate(() => window.gallery.answers().length)).toBe(0);
});

test('[INT8] a reprompt replaces the card, keeps what was typed, and lists the earlier attempt', async () => {
  await ask('c.1', input(oneField));
  await box('Email').fill('ada@');
  await page.evaluate(() => {
    window.gallery.server.onResponse = () => {
      const error = 'Invalid email address';
      const { inputSchema } = window.gallery.lastRequest;
      const again = {
        interactionType: 'input',
        attempt: 2,
        replaces: 'c.1',
        inputSchema,
        title: 'A question',
      } as const;
      window.gallery.request('c.2', {
        ...again,
        error,
        fieldErrors: { email: error },
        initialValues: { email: 'ada@' },
      });
    };
  });
  await box('Email').press('Enter');
  await page.getByText('Attempt 1: Submitted — Invalid email address').waitFor();
  expect(await box('Email').inputValue()).toBe('ada@');
  expect(await page.locator('parley-card').count()).toBe(1);
  await page.getByRole('alert').getByText('Invalid email address').first().waitFor();
});

test('[INT8] another tab’s attempt does not overwrite what is half-typed here; values that the tool chose do', async () => {
  await ask('c.1', input(oneField));
  await box('Email').fill('mine');
  const again = (id: string, replaces: string, email: string) =>
    page.evaluate(
      ([id = '', replaces = '', email = '', part = '']) => {
        const { by, append, request } = window.gallery;
        const answer = { toolCallId: 'c', interactionId: replaces, answerId: id, action: 'submit', by } as const;
        append({ type: 'interaction_response', payload: { ...answer, input: { email: 'theirs' } } });
        request(id, { ...JSON.parse(part), replaces, initialValues: { email } });
      },
      [id, replaces, email, JSON.stringify(input(oneField))],
    );
  await again('c.2', 'c.1', 'theirs');
  await page.getByText('Attempt 1').waitFor();
  expect(await box('Email').inputValue()).toBe('mine');
  await again('c.3', 'c.2', 'chosen by the tool');
  await expect.poll(() => box('Email').inputValue()).toBe('chosen by the tool');
});

test('[INT18] another tab’s draft is shown while nothing is typed here, and secrets are stored nowhere', async () => {
  await ask('c.1', input(everyField));
  await box('Full name').waitFor();
  const draft = (name: string) =>
    page.evaluate((name) => {
      const values = { name, age: 7 };
      window.gallery.server.sendToAll({ type: 'draft', sessionId: 's', interactionId: 'c.1', values });
    }, name);
  await draft('Grace');
  await expect.poll(() => box('Full name').inputValue()).toBe('Grace');
  expect(await page.getByRole('spinbutton', { name: 'Age' }).inputValue()).toBe('7');
  await page.getByLabel('Password').fill('hush');
  await draft('Barbara');
  await page.waitForTimeout(400);
  expect(await box('Full name').inputValue()).toBe('Grace');
  const kept = await page.evaluate(
    () => JSON.stringify({ ...sessionStorage }) + JSON.stringify(window.gallery.server.received),
  );
  expect(kept).toContain('Grace');
  expect(kept).not.toContain('hush');
});

test.each(['answered', 'closed'] as const)(
  '[INT18] a draft is removed once its prompt is %s elsewhere, and returns only if its tool asks again',
  async (ending) => {
    await ask('c.1', input(oneField));
    await box('Email').fill('half-typed');
    const countDrafts = () =>
      page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.startsWith('parley.draft.')).length);
    await expect.poll(countDrafts).toBe(1);
    await page.evaluate((ending) => {
      const { by, append } = window.gallery;
      const ids = { toolCallId: 'c', interactionId: 'c.1' };
      if (ending === 'closed') append({ type: 'interaction_closed', payload: { ...ids, reason: 'timeout' } });
      else
        append({ type: 'interaction_response', payload: { ...ids, answerId: 'a', action: 'submit', by, input: {} } });
    }, ending);
    await page.locator('.receipt').waitFor();
    expect(await countDrafts()).toBe(0);
    await ask('c.2', input(oneField, { replaces: 'c.1', attempt: 2 }));
    await expect.poll(() => box('Email').inputValue()).toBe('half-typed');
  },
);

test('[INT18] the drafts of a session go with it', async () => {
  await ask('c.1', input(oneField));
  await box('Email').fill('half-typed');
  await page.evaluate(() => window.gallery.client.deleteSession('s'));
  await page.getByText('This session does not exist').waitFor();
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('half-typed');
});

test('[INT17] a secret is shown only on request', async () => {
  await ask('c.1', input(everyField));
  const secret = page.getByLabel('Password');
  expect(await secret.getAttribute('type')).toBe('password');
  await page.getByRole('button', { name: 'Show what is typed' }).click();
  expect(await secret.getAttribute('type')).toBe('text');
});

test('[INT16] the header of a field is a chip only if it adds something to the label', async () => {
  const fields = [
    { id: 'a', type: 'text', label: 'Which colour?', header: 'Colour' },
    { id: 'b', type: 'text', label: 'Colours', header: 'Colour' },
    { id: 'c', type: 'text', header: 'Alone' },
  ];
  await ask('c.1', input({ type: 'form', fields: fields as never }));
  await page.getByLabel('Alone').waitFor();
  expect(await page.locator('.chip').allInnerTexts()).toEqual(['Colour']);
  expect(await page.getByRole('textbox', { name: 'Which colour?' }).count()).toBe(1);
});

test('[INT16] a stepper asks one question at a time; digits choose and Enter moves on', async () => {
  const options = ['red', 'green', 'blue'].map((value) => ({ value, label: value }));
  const fields = [
    { id: 'colour', type: 'radio', label: 'Which colour?', header: 'Colour', options, required: true },
    { id: 'several', type: 'multiselect', label: 'Which ones?', options },
    { id: 'note', type: 'text', label: 'A note', when: { field: 'colour', equals: 'green' } },
  ] as const;
  await ask('c.1', input({ type: 'form', layout: 'stepper', fields: structuredClone(fields) as never }));
  await page.getByText('Question 1 of 2').waitFor();
  await page.getByRole('heading', { name: 'A question' }).focus();
  await page.keyboard.press('2');
  await page.getByText('Question 1 of 3').waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('Question 2 of 3').waitFor();
  await page.keyboard.press('1');
  await page.keyboard.press('3');
  await page.keyboard.press('Enter');
  await page.getByText('Question 3 of 3').waitFor();
  await page.getByRole('button', { name: 'Back' }).click();
  await page.getByText('Question 2 of 3').waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.type('1 of them');
  await page.keyboard.press('Enter');
  await page.getByText('Review your answers').waitFor();
  expect(await findViolations(page)).toEqual([]);
  expect(await page.locator('.review dd:first-of-type').allInnerTexts()).toEqual(['green', 'red, blue', '1 of them']);
  expect(await page.evaluate(() => window.gallery.answers().length)).toBe(0);
  const ok = page.getByRole('button', { name: 'OK' });
  await expect.poll(() => ok.evaluate((button) => button.matches(':focus'))).toBe(true);
  await page.keyboard.press('Enter');
  await page.getByText('Submitted').waitFor();
  expect((await lastAnswer())?.input).toEqual({ colour: 'green', several: ['red', 'blue'], note: '1 of them' });
});

test('[WEB5] Space presses the focused choice: a single choice is answered, even if arrows had chosen it before', async () => {
  const options = ['tea', 'coffee', 'water'].map((value) => ({ value, label: value }));
  const fields = [{ id: 'drink', type: 'radio' as const, label: 'Which?', required: true, options }];
  await ask('c.1', input({ type: 'form', fields }));
  const takeBack = page.getByRole('button', { name: 'Take it back' });
  await page.getByRole('radio', { name: 'tea' }).focus();
  await page.keyboard.press('Space');
  await takeBack.waitFor();
  await takeBack.press('Enter');
  await takeBack.waitFor({ state: 'detached' });
  await page.getByRole('radio', { name: 'tea' }).focus();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('button', { name: 'OK' }).waitFor();
  expect(await takeBack.count()).toBe(0);
  await page.keyboard.press('Space');
  await takeBack.waitFor();
  await page.locator('.receipt').waitFor();
  expect((await lastAnswer())?.input).toEqual({ drink: 'coffee' });
});

test('[INT16] nothing in an optional group is marked as required until part of it is filled in', async () => {
  await ask('c.1', input(everyField));
  const street = box(/^Street/);
  await street.waitFor();
  expect(await street.getAttribute('aria-required')).toBeNull();
  await street.fill('1 Mill Lane');
  await expect.poll(() => street.getAttribute('aria-required')).toBe('true');
});

test('[WEB5] digits choose from a list, too, unless its own options begin with digits', async () => {
  const form = (labels: readonly string[]) => ({
    type: 'form' as const,
    fields: [
      {
        id: 'one',
        type: 'select' as const,
        label: 'One',
        options: labels.map((label, n) => ({ value: `v${n}`, label })),
      },
    ],
  });
  await ask('c.1', input(form(['tea', 'coffee', 'water'])));
  const list = page.getByRole('combobox', { name: 'One' });
  await page.getByRole('heading', { name: 'A question' }).focus();
  await page.keyboard.press('2');
  await expect.poll(() => list.evaluate((it) => it.matches(':focus'))).toBe(true);
  expect(await list.inputValue()).toBe('v1');
  await page.keyboard.press('3');
  expect(await list.inputValue()).toBe('v2');
  await page.keyboard.press('Enter');
  await page.getByText('Submitted').waitFor();
  expect((await lastAnswer())?.input).toEqual({ one: 'v2' });

  await ask('c.2', input(form(['30 minutes', '10 minutes', '20 minutes'])));
  await list.focus();
  await page.keyboard.press('1');
  expect(await list.inputValue()).toBe('v1');
});

test('[WEB5] digits work on the options that show them, and move the focus there', async () => {
  await ask('c.1', input(everyField));
  const chips = page.locator('.option kbd:visible');
  const group = (name: string) => page.getByRole('group', { name }).or(page.getByRole('radiogroup', { name }));
  await group('Languages').waitFor();
  expect(await chips.count()).toBe(0); // without the focus, a digit could be meant for another card
  await page.getByRole('heading', { name: 'A question' }).focus();
  await expect.poll(() => chips.count()).toBe(2);
  await page.keyboard.press('2');
  const oslo = group('Languages').getByRole('checkbox', { name: 'Oslo' });
  await expect.poll(() => oslo.evaluate((it) => it.matches(':checked:focus'))).toBe(true);
  await group('Reach me by').getByRole('radio', { name: 'Lisbon' }).focus();
  expect(await group('Reach me by').locator('kbd:visible').count()).toBe(3);
  expect(await chips.count()).toBe(3);
});

test('[INT6] an invalid number stays as typed, and choosing Other requires text', async () => {
  await ask('c.1', input(everyField));
  const age = page.getByRole('spinbutton', { name: 'Age' });
  await age.pressSequentially('1e');
  await page.getByRole('combobox', { name: 'Home town' }).selectOption({ label: 'Other …' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').getByText('Must be a number, as in 1234.5.').waitFor();
  await page.getByRole('alert').getByText('Say which.').waitFor();
  await age.press('End');
  await age.pressSequentially('1');
  expect(await age.inputValue()).toBe('1e1');
});

test('[WEB5] shortcuts are inert while typing; Escape leaves the field and answers nothing', async () => {
  await ask('c.1', input(everyField));
  await box('About you').fill('');
  await box('About you').press('Enter');
  await page.keyboard.type('12?n');
  expect(await box('About you').inputValue()).toBe('\n12?n');
  await page.keyboard.press('Escape');
  expect(await box('About you').evaluate((element) => element.matches(':focus'))).toBe(false);
  expect(await page.getByRole('heading', { name: 'A question' }).evaluate((element) => element.matches(':focus'))).toBe(
    true,
  );
  expect(await page.evaluate(() => window.gallery.answers().length)).toBe(0);
  await box('Full name').fill('Ada');
  await box('About you').press('Control+Enter');
  await page.getByText('Submitted').waitFor();
});

test('[WEB5] focus returns to the composer after an answer, and is never stolen', async () => {
  await page.getByLabel('Message', { exact: true }).focus();
  await ask('c.1', input(oneField));
  await box('Email').waitFor();
  expect(await page.getByLabel('Message', { exact: true }).evaluate((element) => element.matches(':focus'))).toBe(true);
  await box('Email').fill('x');
  await box('Email').press('Enter');
  await page.getByText('Submitted').waitFor();
  await expect
    .poll(() => page.getByLabel('Message', { exact: true }).evaluate((element) => element.matches(':focus')))
    .toBe(true);
});
