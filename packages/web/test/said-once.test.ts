import { stopWords } from '@parleyhq/core';
import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { useGallery } from './browser.ts';
import { approval, input, oneField } from './samples.ts';

const openGallery = useGallery();
let page: Page;

beforeEach(async () => {
  page = await openGallery();
  page.setDefaultTimeout(15_000);
});

const ask = (id: string, part: object) =>
  page.evaluate(([id, part]) => window.gallery.ask(id, part), [id, part] as const);

test('[WEB3] with high risk no button invites, and red marks what would allow more than this', async () => {
  await ask('c.1', approval);
  const styleOf = (name: string) =>
    page.getByRole('button', { name, exact: true }).evaluate((button) => {
      const { color, borderTopColor } = getComputedStyle(button);
      return { color, borderTopColor };
    });
  await expect.poll(() => page.getByRole('button', { name: 'Allow once' }).isEnabled()).toBe(true);
  await page.getByRole('button', { name: 'More ways to allow' }).click();
  const { color } = await styleOf('Deny');
  expect(await styleOf('Allow once')).toMatchObject({ color });
  const danger = await page.locator('.risk').evaluate((it) => getComputedStyle(it).color);
  for (const name of ['Allow for session', 'Always allow'])
    expect(await styleOf(name)).toEqual({ color: danger, borderTopColor: danger });
});

test('[WEB3] a failed call of a program is shown as a line and one detail', async () => {
  await page.evaluate(() => {
    const { append, by, startTurn } = window.gallery;
    startTurn();
    const call = { toolCallId: 'x', toolName: 'delete_files', args: {}, authorised: { by: 'tool' }, by } as const;
    append({ type: 'tool_call', payload: call, turnId: 't1' });
    const error = { code: 'invalid_args', message: 'files is missing' } as const;
    append({ type: 'tool_result', payload: { toolCallId: 'x', toolName: 'delete_files', error }, turnId: 't1' });
  });
  const tool = page.locator('parley-tool');
  await tool.getByText('files is missing').waitFor();
  expect(await tool.locator('.below').allInnerTexts()).toEqual([
    expect.stringMatching(/^files is missing · asked by \S/),
  ]);
  expect(await tool.locator('.line').innerText()).not.toContain('missing');
});

test('[WEB3] a stopped turn says so once, and not at each of its calls', async () => {
  await page.evaluate((message) => {
    const { append, call, startTurn } = window.gallery;
    startTurn();
    call('x', 'run_command', { command: 'npm test' });
    const error = { code: 'cancelled', message } as const;
    append({ type: 'tool_result', payload: { toolCallId: 'x', toolName: 'run_command', error }, turnId: 't1' });
    append({ type: 'turn_end', payload: { status: 'cancelled' }, turnId: 't1' });
  }, stopWords);
  await page.getByText('Stopped.').waitFor();
  await page.locator('parley-tool .line').getByText('cancelled').waitFor();
  expect(await page.getByText(stopWords).count()).toBe(0);
});

test('[WEB3] a denial is not a failure, and only its receipt shows the reason', async () => {
  await page.evaluate((part) => {
    const { append, ask, by, call, startTurn } = window.gallery;
    startTurn();
    call('c', 'run_command', { command: 'rm -r build' });
    ask('c.1', part);
    const answer = {
      toolCallId: 'c',
      interactionId: 'c.1',
      answerId: 'a',
      action: 'deny',
      reason: 'Not on a Friday',
      by,
    } as const;
    append({ type: 'interaction_response', payload: answer });
    const error = { code: 'denied', message: 'Not on a Friday' } as const;
    append({ type: 'tool_result', payload: { toolCallId: 'c', toolName: 'run_command', error }, turnId: 't1' });
  }, approval as object);
  await page.locator('parley-tool .line').getByText('· denied').waitFor();
  await page.locator('.receipt summary').getByText('Not on a Friday').waitFor();
  expect(await page.locator('parley-tool .error').count()).toBe(0);
  expect(await page.getByText('Not on a Friday').count()).toBe(1);
});

test('[WEB3] a form with one field does not repeat what its card asks', async () => {
  await ask(
    'c.1',
    input({ type: 'form', fields: [{ id: 'name', type: 'text', label: 'Your name?' }] }, { title: 'Your name' }),
  );
  const field = page.getByRole('textbox', { name: 'Your name?' });
  await field.waitFor();
  const label = page.locator('parley-form label');
  expect(await label.evaluate((it) => it.getBoundingClientRect().width)).toBeLessThanOrEqual(1);
  await ask(
    'd.1',
    input({ type: 'form', fields: [{ id: 'name', type: 'text', label: 'In full' }] }, { title: 'Your name' }),
  );
  await page.getByText('In full', { exact: true }).waitFor();
  expect(await label.last().evaluate((it) => it.getBoundingClientRect().width)).toBeGreaterThan(1);
});

test('[WEB3, WEB5] the error of a form’s only field stands at the field, and is announced', async () => {
  await ask('c.1', input(oneField));
  await page.getByRole('button', { name: 'OK' }).click();
  await page.getByRole('alert').getByText('Email: Required.').waitFor();
  expect(await page.getByText('Required.', { exact: true }).count()).toBe(1);
  expect(await page.getByText('Please check your answers.').count()).toBe(0);
  await expect.poll(() => page.getByRole('textbox', { name: 'Email' }).getAttribute('aria-invalid')).toBe('true');
});

test('[WEB3, INT8] a tool’s error for a field disappears once the field is changed', async () => {
  await ask('c.1', input(oneField));
  const fault = 'Invalid email address';
  await page.getByRole('textbox', { name: 'Email' }).fill('ada');
  await ask('c.2', input(oneField, { attempt: 2, replaces: 'c.1', error: fault, fieldErrors: { email: fault } }));
  await page.locator('.error').getByText(fault).waitFor();
  await page.getByRole('textbox', { name: 'Email' }).last().pressSequentially('@');
  await page.locator('.error').waitFor({ state: 'detached' });
  expect(await page.locator('.summary').count()).toBe(0);
});

test('[WEB5] each copy button names the author and the beginning of the text', async () => {
  await page.evaluate(() => {
    const say = (text: string) => ({ type: 'assistant_done', payload: { block: 0, text }, turnId: 't1' }) as const;
    window.gallery.startTurn('Go there');
    window.gallery.append(say('The **first** answer'), say('The second answer'));
  });
  await page.getByText('The second answer').waitFor();
  const names = await page
    .getByRole('button', { name: /^Copy (?!the link)/ })
    .evaluateAll((buttons) => buttons.map((button) => button.ariaLabel));
  expect(names).toEqual([
    expect.stringMatching(/said: Go there$/),
    'Copy what the agent said: The first answer',
    'Copy what the agent said: The second answer',
  ]);
});

test('[WEB5] when a focused row of the conversation is removed, the focus goes to the conversation', async () => {
  await page.evaluate(() => window.gallery.openLong(400));
  const log = page.getByRole('log');
  const first = () => page.locator('.row').first().getAttribute('data-seq').then(Number);
  await log.evaluate((element) => element.scrollTo(0, 0));
  while ((await first()) > 180) await log.evaluate((element) => element.scrollTo(0, 0)); // until the end is no longer rendered
  await page
    .locator('.row')
    .first()
    .getByRole('button', { name: /^Copy what/ })
    .focus();
  await page.evaluate(() => {
    const view = document.querySelector('parley-session-view');
    const transcript = view?.shadowRoot?.querySelector('parley-transcript') as unknown as { goToEnd(): void };
    transcript.goToEnd();
  });
  await page.getByText('Answer 399').waitFor();
  expect(await log.evaluate((element) => element.matches(':focus'))).toBe(true);
});

test('[WEB7] a review starts at its heading, not at its Close button', async () => {
  await ask('a.1', { interactionType: 'approval', title: 'Do a?' });
  await ask('b.1', { interactionType: 'approval', title: 'Do b?' });
  await page.getByRole('button', { name: 'Review together' }).click();
  const heading = page.getByRole('dialog').getByRole('heading', { name: '2 approvals' });
  await expect.poll(() => heading.evaluate((it) => it.matches(':focus'))).toBe(true);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  expect(
    await page
      .getByRole('checkbox')
      .first()
      .evaluate((it) => it.matches(':focus')),
  ).toBe(true);
});

test('[WEB9] if a question takes no text, that is announced at once, and the question once', async () => {
  const live = page.locator('#fate[role="status"]');
  const isLive = () => live.evaluate((it) => it.closest('[aria-live="off"]') === null);
  await ask('c.1', input({ type: 'form', fields: [{ id: 'pin', type: 'secret', label: 'PIN', required: true }] }));
  await live.getByText('the agent reads it after the answer').waitFor();
  expect(await isLive()).toBe(true);
  expect(await live.innerText()).not.toContain('waiting');
  expect(await page.locator('.dock > .status').innerText()).toBe('');
});
