import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { useAsking } from './asking.ts';
import { approval, database, input, oneField } from './samples.ts';

const { page: currentPage, ask, answers, box, holdTime, askHeld } = useAsking();
let page: Page;

beforeEach(() => {
  page = currentPage();
});

test('[WEB5] a single choice has no label, asterisk or OK: one click answers it, and can be undone for a moment', async () => {
  await holdTime();
  await askHeld('c.1', database());
  expect(await page.locator('.required').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'OK' }).count()).toBe(0);
  expect(await page.getByRole('radiogroup', { name: 'Answer' }).count()).toBe(1); // name for screen readers
  const postgres = page.getByRole('radio', { name: 'PostgreSQL', exact: true });
  await page.getByText('Recommended', { exact: true }).waitFor();

  await postgres.click();
  await page.clock.runFor(1500);
  await page.getByRole('button', { name: 'Take it back' }).click();
  await page.clock.runFor(5000);
  expect(await answers()).toEqual([]);
  expect(await postgres.isChecked()).toBe(false);

  await page.getByRole('heading', { name: 'Which database?' }).focus();
  await page.keyboard.press('2');
  await page.getByText('Answers SQLite').waitFor();
  await page.clock.runFor(1900);
  expect(await answers()).toEqual([]);
  await page.clock.runFor(200);
  await expect.poll(answers).toEqual([{ action: 'submit', input: { answer: 's' } }]);
});

test('[WEB5] the second click of a double-click on "Take it back" does not cancel the prompt', async () => {
  await askHeld('c.1', database());
  await page.getByRole('radio', { name: 'SQLite' }).click();
  await page.getByRole('button', { name: 'Take it back' }).dblclick();
  await page.getByRole('button', { name: 'Cancel' }).waitFor();
  expect(await answers()).toEqual([]);
});

test('[WEB5] options that arrow keys pass over are not sent, and people who add a note submit it themselves', async () => {
  await holdTime();
  await askHeld('c.1', database());
  await page.getByRole('radio', { name: 'PostgreSQL', exact: true }).focus();
  await page.keyboard.press('ArrowDown');
  await page.clock.runFor(5000);
  expect(await answers()).toEqual([]);

  await page.getByText('PostgreSQL', { exact: true }).click();
  await page.getByRole('button', { name: 'Add a note' }).click();
  await page.clock.runFor(5000);
  expect(await answers()).toEqual([]);
  await page.getByRole('textbox', { name: 'Notes' }).fill('Version 17');
  await page.getByRole('button', { name: 'OK' }).click();
  await expect.poll(answers).toEqual([{ action: 'submit', input: { answer: 'p', notes: 'Version 17' } }]);
});

test('[WEB1, WEB3] a receipt is one line of 36 px, and names each person once', async () => {
  await ask('c.1', database({ completedView: { summaryTemplate: 'Saved by {{by}}' } }));
  await page.evaluate(() => {
    const { append, by } = window.gallery;
    const answer = { toolCallId: 'c', interactionId: 'c.1', answerId: 'a', action: 'submit', input: { answer: 's' } };
    const who = { ...by, principal: 'g', name: 'Grace', label: 'Phone' };
    append({ type: 'interaction_response', payload: { ...answer, by: who } as never });
  });
  const line = page.locator('.receipt');
  await line.getByText('Saved by Grace (Phone)').waitFor();
  expect((await line.boundingBox())?.height).toBe(36);
  expect((await line.innerText()).match(/Grace|Phone/g)).toEqual(['Grace', 'Phone']);
  await line.getByText('Answered on another device').waitFor();
});

test('[WEB3, FRM6] only the pressed button shows that its answer is being sent', async () => {
  await page.evaluate(() => {
    window.gallery.server.isAnswering = false;
  });
  await ask('c.1', approval);
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByRole('button', { name: 'Sending …' }).waitFor();
  const names = await page.locator('parley-approval').getByRole('button').allInnerTexts();
  expect(names.map((name) => name.trim()).filter(Boolean)).toEqual(['Sending …', 'Allow once']);
  await ask('d.1', input(oneField));
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.locator('parley-form').getByRole('button', { name: 'Sending …' }).waitFor();
  expect((await page.locator('parley-form').getByRole('button').allInnerTexts()).at(-1)?.trim()).toBe('OK');
});

test('[WEB5, FRM6] while an answer cannot be sent, the focus moves to the message box', async () => {
  await page.evaluate(() => {
    window.gallery.server.isAnswering = false;
  });
  await ask('c.1', input(oneField));
  await page.getByRole('textbox', { name: 'Email' }).fill('ada@example.org');
  await page.getByRole('textbox', { name: 'Email' }).press('Enter');
  await page.getByRole('button', { name: 'Sending …' }).waitFor();
  await expect.poll(() => box().evaluate((it) => it.matches(':focus'))).toBe(true);
});

test('[WEB5] Tab and digits follow the order in which the buttons of an approval are seen', async () => {
  await ask('c.1', { ...approval, grantKey: '"deploy"', risk: 'low' });
  const names = ['Deny', 'Allow once', 'Allow for session', 'Always allow'];
  await page.getByRole('button', { name: 'More ways to allow' }).click();
  await expect.poll(() => page.getByRole('button', { name: 'Always allow' }).isEnabled()).toBe(true);
  const focused = () =>
    page.evaluate(() => {
      let at = document.activeElement;
      while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
      return at?.textContent;
    });
  await page.locator('article.card h2').focus();
  expect(await page.locator('parley-approval kbd').filter({ visible: true }).count()).toBe(2);
  for (const [n, name] of names.entries()) {
    await page.keyboard.press(String(n + 1));
    await expect.poll(focused).toContain(name);
  }
  await page.getByRole('button', { name: 'Deny' }).focus();
  const places: number[][] = [];
  for (let n = 0; n < 6; n += 1) {
    places.push(
      await page.evaluate(() => {
        let at = document.activeElement;
        while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
        const { x, y } = at?.getBoundingClientRect() ?? { x: 0, y: 0 };
        return [Math.round(y), Math.round(x)];
      }),
    );
    await page.keyboard.press('Tab');
  }
  expect(places).toEqual([...places].sort(([a = 0, x = 0], [b = 0, y = 0]) => a - b || x - y));
});

test.each([390, 1180])('[WEB3, WEB5] a press shows the wider consents with what each allows: %i px', async (width) => {
  await page.setViewportSize({ width, height: 844 });
  await ask('c.1', { ...approval, grantKey: '"deploy"' });
  const names = ['Allow for session', 'Always allow'];
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  for (const name of names) expect(await page.getByRole('button', { name }).count()).toBe(0);
  const foot = await page.locator('.foot').boundingBox();
  expect(foot?.height).toBeLessThan(64);
  await page.getByRole('button', { name: 'More ways to allow' }).click();
  for (const name of names) await page.getByRole('button', { name }).waitFor();
  await page.getByText('Allows until somebody revokes it, in this session: what deploy asks for as deploy.').waitFor();
  await page.getByText('Allows until somebody revokes it, always').waitFor();
  const always = page.getByRole('button', { name: 'Always allow' });
  await expect.poll(() => always.isEnabled()).toBe(true);
  await always.press('Enter');
  await page.getByText('Always allowed').waitFor();
});

test('[WEB2, WEB7] on a phone a prompt is a sheet: its subject scrolls, its buttons stay, it can be dragged down', async () => {
  await page.setViewportSize({ width: 390, height: 664 });
  const text = Array.from({ length: 80 }, (_, n) => `rm file-${n}.txt`).join('\n');
  await ask('c.1', { ...approval, subject: { kind: 'text', text } });
  await page.locator('parley-card').evaluate((card) => (card as HTMLElement).focus()); // as following a link does
  const sheet = page.getByRole('dialog', { name: 'Deploy to production?' });
  await sheet.waitFor();
  const deny = page.getByRole('button', { name: 'Deny' });
  const isInSight = async () => {
    const { y = 0, height = 0 } = (await deny.boundingBox()) ?? {};
    return y + height <= 664;
  };
  await expect.poll(isInSight).toBe(true);
  const findBottom = async () => {
    const { y = 0, height = 0 } = (await sheet.boundingBox()) ?? {};
    return y + height;
  };
  await expect.poll(findBottom).toBe(664);
  const place = await sheet.boundingBox();
  expect([place?.x, place?.width]).toEqual([0, 390]);
  expect(place?.height).toBeLessThanOrEqual(0.92 * 664 + 1);
  expect(await page.getByRole('button', { name: 'Allow once' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Show all' }).click();
  await page.locator('parley-pop-out .body').evaluate((body) => body.scrollTo(0, body.scrollHeight / 2));
  expect(await isInSight()).toBe(true);

  const top = (await sheet.boundingBox())?.y ?? 0;
  await page.mouse.move(195, top + 10);
  await page.mouse.down();
  await page.mouse.move(195, top + 150, { steps: 4 });
  await page.mouse.up();
  await sheet.waitFor({ state: 'detached' });
  expect(await answers()).toEqual([]);
  await deny.waitFor();
});

test('[WEB5, SEC5] an option shows a preview as plain text, and opening the preview chooses nothing', async () => {
  const options = [
    { value: 'a', label: 'One', preview: '# not a heading\n<b>x</b>\u202e' },
    { value: 'b', label: 'Two', preview: 'line\n'.repeat(20) },
  ];
  const form = { type: 'form', fields: [{ id: 'answer', type: 'radio', label: 'Answer', required: true, options }] };
  await ask('c.1', input(form as never, { title: 'Which?' }));
  await page.getByText('# not a heading').waitFor();
  expect(await page.locator('.preview pre').first().innerText()).toBe('# not a heading\n<b>x</b>⟨U+202E⟩');
  const long = page.locator('.preview').nth(1);
  expect(await long.getAttribute('open')).toBeNull();
  await page.getByText('Preview of Two').press('Enter');
  await long.locator('pre').click();
  expect(await long.getAttribute('open')).not.toBeNull();
  await page.locator('.preview summary').first().click();
  expect(await page.getByRole('radio', { checked: true }).count()).toBe(0);
  expect(await answers()).toEqual([]);
});
