import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useGallery } from './browser.ts';
import { approval, everyField, input, oneField } from './samples.ts';

const openGallery = useGallery();

async function open(options: BrowserContextOptions): Promise<Page> {
  const page = await openGallery(options);
  page.setDefaultTimeout(10_000);
  return page;
}

const ask = (page: Page, id: string, part: object) =>
  page.evaluate(([id, part]) => window.gallery.ask(id, part), [id, part] as const);
const styleOf = (element: Locator, name: string, pseudo = '') =>
  element.evaluate((it, [name, pseudo]) => getComputedStyle(it, pseudo)[name as 'color'], [name, pseudo] as const);

test('[WEB5] text is 15 px and never below 12; on touch controls have 44 px and fields text of 16', async () => {
  const page = await open({ viewport: { width: 390, height: 3000 }, hasTouch: true, isMobile: true });
  expect(await page.evaluate(() => matchMedia('(pointer: coarse)').matches)).toBe(true);
  await ask(page, 'a.1', input(everyField));
  await ask(page, 'b.1', { ...approval, subject: { kind: 'text', text: 'x' } });
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  expect(await styleOf(page.locator('body'), 'fontSize')).toBe('15px');
  const found = await page.evaluate(() => {
    const small: string[] = [];
    const walk = (root: ParentNode) => {
      for (const element of root.querySelectorAll<HTMLElement>('*')) {
        const { fontSize } = getComputedStyle(element);
        const { height } = element.getBoundingClientRect();
        const say = () => small.push(`${element.localName}.${element.className} ${fontSize} ${height}`);
        if (element.checkVisibility() && height > 0) {
          if (Number.parseFloat(fontSize) < 12) say();
          const isField = element.matches('input:not([type=checkbox], [type=radio]), textarea, select');
          if (isField && Number.parseFloat(fontSize) < 16) say();
          if ((isField || element.matches('button, .option')) && height < 44) say();
        }
        if (element.shadowRoot) walk(element.shadowRoot);
      }
    };
    walk(document);
    return small;
  });
  expect(found).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
});

test('[WEB3, WEB5] a narrow card: its header does not overlap, and a long queued message keeps its buttons in view', async () => {
  const page = await open({ viewport: { width: 320, height: 568 } });
  const expiresAt = new Date(Date.now() + 5 * 3_600_000).toISOString();
  await ask(page, 'c.1', { ...approval, toolName: 'a_tool_with_a_long_name', expiresAt });
  await page.getByText('h 59 min left').waitFor();
  const boxes = await page.locator('header').evaluate((header) =>
    [...header.querySelectorAll('.eyebrow > *, .risk, parley-countdown, button')].map((part) => {
      const { left, right, top, bottom } = part.getBoundingClientRect();
      return { left, right, top, bottom };
    }),
  );
  for (const [n, a] of boxes.entries()) {
    expect(a.right).toBeLessThanOrEqual(320);
    for (const b of boxes.slice(n + 1))
      expect(a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top).toBe(true);
  }
  await page.evaluate(() => window.gallery.client.open('s').send(`One long message ${'and so on '.repeat(200)}`));
  await page.evaluate(() => window.gallery.client.open('s').send('A short one'));
  const buttons = page.getByRole('button', { name: 'Take back' });
  await buttons.nth(1).waitFor();
  for (const button of await buttons.all()) {
    const box = await button.boundingBox();
    expect((box?.x ?? 999) + (box?.width ?? 0)).toBeLessThanOrEqual(320);
  }
});

test('[WEB5] text has its own direction, in fields and in the conversation', async () => {
  const page = await open({});
  await ask(
    page,
    'c.1',
    input({
      type: 'form',
      fields: [
        { id: 'name', type: 'text', label: 'Name' },
        { id: 'about', type: 'textarea', label: 'About' },
      ],
    }),
  );
  const words = 'שלום עולם';
  for (const name of ['Name', 'About', 'Message']) {
    const field = page.getByRole('textbox', { name, exact: true });
    await field.fill(words);
    expect([name, await styleOf(field, 'direction')]).toEqual([name, 'rtl']);
  }
  await page.evaluate((text) => {
    const payload = { block: 0, text };
    window.gallery.append({ type: 'assistant_done', payload, turnId: 't1', responseId: 'r' });
  }, `${words}\n\n- ${words}`);
  const text = page.locator('parley-markdown .untrusted');
  await expect.poll(() => styleOf(text, 'direction')).toBe('rtl');
});

test('[WEB5] in forced colours bubbles and dots are visible', async () => {
  const page = await open({ forcedColors: 'active' });
  await page.evaluate(() => window.gallery.startTurn('Hello'));
  await page.locator('.bubble').waitFor();
  expect(await styleOf(page.locator('.bubble'), 'borderTopStyle')).toBe('solid');
  const canvas = await styleOf(page.locator('body'), 'backgroundColor');
  expect(await styleOf(page.locator('.typing i').first(), 'backgroundColor')).not.toBe(canvas);
});

test('[WEB3] a result shows how many lines it has, and a cancelled call is not shown as an error', async () => {
  const page = await open({});
  await page.evaluate(() => {
    const { gallery } = window;
    gallery.startTurn();
    gallery.call('c', 'run_command', { command: 'ls' });
    const result = { stdout: 'one\ntwo\n', exitCode: 0, nested: { list: ['a\nb'] } };
    gallery.append({ type: 'tool_result', payload: { toolCallId: 'c', toolName: 'run_command', result } });
    gallery.call('d', 'deploy', {});
    const error = { code: 'cancelled', message: 'Cancelled.' };
    gallery.append({ type: 'tool_result', payload: { toolCallId: 'd', toolName: 'deploy', error } });
  });
  await page.getByRole('button', { name: 'Run ls' }).click();
  const output = await page.getByRole('group', { name: 'Output' }).innerText();
  expect(output).toMatch(/^one\ntwo\n\nexitCode: 0\nnested: /);
  expect(output).toContain('|\n      a\n      b');
  expect(output).not.toContain('\\n');
  expect(await page.locator('.status', { hasText: 'cancelled' }).getAttribute('class')).not.toContain('error');
});

test('[INT8, WEB5] when a prompt is asked again, the focus goes to the field with the error', async () => {
  const page = await open({});
  const form = {
    type: 'form',
    fields: [
      { id: 'name', type: 'text', label: 'Name' },
      { id: 'email', type: 'text', label: 'Email' },
    ],
  };
  await ask(page, 'c.1', {
    ...input(form as never),
    attempt: 2,
    error: 'Check it.',
    fieldErrors: { email: 'No address.' },
  });
  const card = page.locator('parley-card');
  await page.getByRole('textbox', { name: 'Email' }).waitFor();
  await card.evaluate((it) => (it as HTMLElement).focus());
  await expect
    .poll(() => page.getByRole('textbox', { name: 'Email' }).evaluate((it) => it.matches(':focus')))
    .toBe(true);
});

test('[WEB5] when another device answers a docked prompt, the focus goes from it to its receipt', async () => {
  const page = await open({});
  await ask(page, 'c.1', { ...input(oneField), presentation: 'composer' });
  await page.getByRole('textbox', { name: 'Email' }).focus();
  await page.evaluate(() => {
    const answer = {
      toolCallId: 'c',
      interactionId: 'c.1',
      answerId: 'a',
      action: 'submit',
      input: { email: 'x' },
    } as const;
    window.gallery.append({ type: 'interaction_response', payload: { ...answer, by: window.gallery.by } });
  });
  const receipt = page.locator('.receipt summary');
  await receipt.waitFor();
  await expect.poll(() => receipt.evaluate((line) => line.matches(':focus'))).toBe(true);
});

test('[WEB5] a key in a form of 190 fields renders one of them', async () => {
  const page = await open({});
  const options = [1, 2, 3, 4].map((value) => ({ value: String(value), label: `Option ${value}` }));
  const fields = Array.from({ length: 190 }, (_, n) => ({
    id: `f${n}`,
    type: n % 3 === 0 ? 'radio' : 'text',
    label: `Field ${n}`,
    description: 'Some words about it.',
    ...(n % 3 === 0 && { options }),
  }));
  await ask(page, 'a.1', input({ type: 'form', fields } as never));
  const field = page.locator('[id="a.1"]').getByRole('textbox', { name: 'Field 1', exact: true });
  const rendered = await field.evaluate(async (it) => {
    interface Form extends HTMLElement {
      readonly updateComplete: Promise<unknown>;
      readonly attempts: readonly { request: { payload: { inputSchema: { fields: { id: string }[] } } } }[];
    }
    const form = (it.getRootNode() as ShadowRoot).host as Form;
    const read = new Set<string>();
    for (const shown of form.attempts.at(-1)?.request.payload.inputSchema.fields ?? [])
      Object.defineProperty(shown, 'description', { get: () => read.add(shown.id) && 'Some words about it.' });
    (it as HTMLInputElement).value = 'x';
    it.dispatchEvent(new InputEvent('input', { bubbles: true }));
    await form.updateComplete;
    return [...read];
  });
  expect(rendered).toEqual(['f1']);
});

test.each([1180, 390])('[WEB3] text, cards and the message box are aligned at both edges: %i px', async (width) => {
  const page = await openGallery({ viewport: { width, height: 900 } });
  await page.evaluate(() => {
    window.gallery.ask('c.1', { title: 'Deploy?' });
    const payload = { block: 0, text: 'I will deploy it. '.repeat(40) };
    window.gallery.append({ type: 'assistant_done', payload, turnId: 't1', responseId: 'r' });
  });
  await page.getByText('I will deploy it.').waitFor();
  const find = async (selector: string) => {
    const box = await page.locator(selector).first().boundingBox();
    return { left: box?.x, right: (box?.x ?? 0) + (box?.width ?? 0) };
  };
  const box = await find('parley-composer form');
  await expect.poll(() => find('parley-card article')).toEqual(box);
  await expect.poll(() => find('parley-markdown')).toEqual(box);
  expect(box.right - (box.left ?? 0)).toBeLessThanOrEqual(720);
});

test('[WEB5] a touch screen offers a suitable keyboard for each field', async () => {
  const page = await openGallery();
  const asked = input({
    type: 'form',
    fields: [
      { id: 'name', type: 'text', label: 'Name' },
      { id: 'mail', type: 'text', label: 'Mail', format: 'email' },
      { id: 'code', type: 'text', label: 'Code', pattern: '[A-Z]+' },
      { id: 'count', type: 'number', label: 'Count', step: 1 },
      { id: 'price', type: 'number', label: 'Price' },
    ],
  });
  await page.evaluate((part: string) => window.gallery.ask('f.1', JSON.parse(part)), JSON.stringify(asked));
  const read = (label: string) =>
    page
      .getByLabel(label, { exact: true })
      .evaluate(({ type, inputMode, enterKeyHint, autocapitalize }: HTMLInputElement) => {
        return [type, inputMode, enterKeyHint, autocapitalize].join(' ');
      });
  expect(await read('Name')).toBe('text  go sentences');
  expect(await read('Mail')).toBe('email  go none');
  expect(await read('Code')).toBe('text  go none');
  expect(await read('Count')).toMatch(/^\w+ numeric go/);
  expect(await read('Price')).toMatch(/^\w+ decimal go/);
  expect(await read('Message')).toMatch(/ send sentences$/);
});

test.each([
  ['deny', 'denied'],
  ['cancel', 'cancelled'],
] as const)('[WEB3] a call whose tool ended in order after a %s says %s, and has no tick', async (action, words) => {
  const page = await open({});
  await ask(page, 'c.1', input(oneField));
  await page.evaluate((action) => {
    const { by, append } = window.gallery;
    append({
      type: 'interaction_response',
      payload: { toolCallId: 'c', interactionId: 'c.1', answerId: 'a', action, by },
    });
    append({ type: 'tool_result', payload: { toolCallId: 'c', toolName: 'deploy', result: { deleted: [] } } });
  }, action);
  await page.locator('parley-tool .line .status').getByText(words).waitFor();
  expect(await page.locator('parley-tool .mark.done').count()).toBe(0);
});

test('[WEB2, WEB5] a docked question on a phone is seen whole, and the message box below it, too', async () => {
  const page = await open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const options = ['North', 'East', 'South', 'West'].map((label) => {
    return { value: label, label, description: 'A way that leads there, with a sentence about what one meets on it.' };
  });
  const fields = [{ id: 'way', type: 'radio' as const, label: 'Which way?', required: true, options }];
  await ask(page, 'c.1', input({ type: 'form', fields }, { presentation: 'composer', title: 'Which way?' }));
  await page.getByRole('radio', { name: /^West/ }).waitFor();
  const dock = page.locator('.dock');
  expect(await dock.evaluate((it) => it.scrollHeight - it.clientHeight)).toBeLessThanOrEqual(0);
  const box = await page.locator('parley-composer form').boundingBox();
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(844);
});

test.each([
  [720, 450, false],
  [844, 390, true],
  [320, 568, true],
] as const)(
  '[WEB5, WEB7] on a low screen the box leaves the room to the card: %i × %i',
  async (width, height, hasTouch) => {
    const page = await open({ viewport: { width, height }, hasTouch, isMobile: hasTouch });
    await ask(page, 'c.1', { ...approval, prompt: undefined });
    await page.getByRole('button', { name: 'Deny' }).waitFor();
    const dock = await page.locator('.dock').boundingBox();
    expect((dock?.height ?? height) / height).toBeLessThan(hasTouch && width > 800 ? 0.17 : 0.2);
  },
);
