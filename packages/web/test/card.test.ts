import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { pressUntilGone, useGallery } from './browser.ts';
import { approval, input, oneField } from './samples.ts';

const openGallery = useGallery();
let page: Page;

beforeEach(async () => {
  page = await openGallery();
});

const ask = (id: string, part: object, args = {}) =>
  page.evaluate(([id, part, args]) => window.gallery.ask(id, part, args), [id, part, args] as const);
const countAnswers = () => page.evaluate(() => window.gallery.answers().length);
const lastAnswer = () => page.evaluate(() => window.gallery.answers().at(-1));

test('[WEB3] an approval offers its scopes, and the answered card is one line with a tick', async () => {
  await ask('c.1', approval);
  const names = () => page.locator('parley-approval [data-answer]').allInnerTexts();
  await expect.poll(names).toEqual(['Deny', 'Allow once', 'Allow for session', 'Always allow']);
  expect(await page.getByText('High risk').isVisible()).toBe(true);
  await page.getByRole('button', { name: 'More ways to allow' }).click();
  await pressUntilGone(page.getByRole('button', { name: 'Allow for session' }));
  await page.getByText('Allowed for this session').waitFor();
  expect(await lastAnswer()).toMatchObject({ action: 'approve', approvalScope: 'session', digest: 'digest-c.1' });
  expect(await page.locator('parley-card .mark svg').count()).toBe(1);
  expect(await page.getByRole('button', { name: 'Deny' }).count()).toBe(0);
});

test('[WEB3] without a title or prompt the card asks about the tool by name', async () => {
  await ask('c.1', {});
  await page.getByRole('heading', { name: 'Allow "deploy"?' }).waitFor();
});

test('[APR5] a reason is sent with the answer', async () => {
  await ask('c.1', approval);
  await page.getByRole('button', { name: 'Add a reason' }).click();
  await page.getByRole('textbox', { name: 'Reason' }).fill('Not on a Friday');
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByText('“Not on a Friday”').waitFor();
  expect(await lastAnswer()).toMatchObject({ action: 'deny', reason: 'Not on a Friday' });
});

test('[APR2] edited arguments are sent with the approval, unless they are invalid JSON', async () => {
  await ask('c.1', { ...approval, editable: true }, { to: 'production' });
  await page.getByRole('button', { name: 'Edit the arguments' }).click();
  await page.getByLabel('Arguments (').fill('{"to": ');
  expect(await page.getByRole('button', { name: 'Allow once' }).isDisabled()).toBe(true);
  await page.getByLabel('Arguments (').fill('{"to": "staging"}');
  await expect.poll(() => page.getByRole('button', { name: 'Allow once' }).isEnabled()).toBe(true);
  await page.getByRole('button', { name: 'Allow once' }).press('Enter');
  await page.getByText('Allowed once, edited').waitFor();
  expect(await lastAnswer()).toMatchObject({ editedArgs: { to: 'staging' } });
});

test.each([
  ['one’s own edit', true],
  ['what somebody else edited', false],
])('[INT8, WEB7] when asked again, the editor contains %s: %s', async (_, isOwn) => {
  await ask('c.1', { ...approval, editable: true }, { to: 'production' });
  await page.evaluate(
    ([part, isOwn]) => {
      const { append, by, client, request } = window.gallery;
      const who = { ...by, ...(isOwn && { clientId: client.clientId, principal: client.state.welcome?.principal.id }) };
      const ids = { toolCallId: 'c', interactionId: 'c.1', answerId: 'a' };
      const answer = { ...ids, action: 'approve', editedArgs: { to: 'nowhere' }, by: who };
      append({ type: 'interaction_response', payload: answer as never });
      request('c.2', { ...part, editable: true, replaces: 'c.1', attempt: 2 } as never);
    },
    [approval as object, isOwn] as const,
  );
  await page.getByText('attempt 2').or(page.getByText('Attempt 2')).first().waitFor();
  const editor = page.getByLabel('Arguments (');
  expect(await editor.count()).toBe(isOwn ? 1 : 0);
  if (isOwn) expect(await editor.inputValue()).toContain('nowhere');
});

test('[APR2] a command is edited as a command, in a field as high as it is', async () => {
  const subject = { kind: 'command', text: 'rm -rf build' };
  await ask('c.1', { ...approval, subject, editable: true, editPath: ['command'] }, { command: 'rm -rf build' });
  await page.getByRole('button', { name: 'Edit the command' }).click();
  const editor = page.getByRole('textbox', { name: /^The command/ });
  expect(await editor.inputValue()).toBe('rm -rf build');
  expect(await editor.evaluate((it) => it.getBoundingClientRect().height)).toBeLessThan(60);
});

test('[APR2] editing the arguments hides the old subject, and can be undone', async () => {
  await ask('c.1', { ...approval, editable: true }, { to: 'production' });
  const subject = page.locator('parley-subject');
  await page.getByRole('button', { name: 'Edit the arguments' }).click();
  await expect.poll(() => subject.isVisible()).toBe(false);
  await page.getByLabel('Arguments (').fill('{"to": "staging"}');
  await page.getByRole('button', { name: 'Undo the edit' }).click();
  await expect.poll(() => subject.isVisible()).toBe(true);
  await expect.poll(() => page.getByRole('button', { name: 'Allow once' }).isEnabled()).toBe(true);
  await page.getByRole('button', { name: 'Allow once' }).press('Enter');
  await page.getByText('Allowed once').waitFor();
  expect(await lastAnswer()).not.toHaveProperty('editedArgs');
});

test('[TEAM2] people who may not approve their own request are not offered to edit it', async () => {
  const others = { ...approval, editable: true, audience: { exclude: ['requester'] }, requesters: ['ann'] };
  await ask('c.1', others, { to: 'production' });
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  expect(await page.getByRole('button', { name: 'Add a reason' }).count()).toBe(1);
  expect(await page.getByRole('button', { name: 'Edit the arguments' }).count()).toBe(0);
});

test('[WEB3] a denial has no tick, and a short answer is shown in the line', async () => {
  await ask('c.1', approval);
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.locator('.receipt .mark.none').waitFor();
  await ask('d.1', input(oneField));
  await page.getByRole('textbox', { name: 'Email' }).fill('ada@example.org');
  await page.getByRole('textbox', { name: 'Email' }).press('Enter');
  await page.locator('summary').getByText('ada@example.org').waitFor();
});

test('[SEC5] hidden characters are revealed and the host of an address is highlighted', async () => {
  const url = 'https://user@evil.example/login?next=bank.example';
  await ask('c.1', { interactionType: 'url', title: 'Log in\u202e', url, prompt: 'a\u200bb' });
  await page.getByRole('heading').getByText('⟨U+202E⟩').waitFor();
  await page.getByText('a⟨U+200B⟩b').waitFor();
  expect(await page.locator('.url b').innerText()).toBe('evil.example');
  expect(await page.locator('.url').innerText()).toBe(url);
});

test('[SEC12, WEB7] on a phone a long log-in address is complete, in few lines, with its host highlighted', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  const state = 'eyJhbGciOiJIUzI1NiJ9.'.repeat(5);
  const url = `https://login.example/oauth2/v2.0/authorize?client_id=0f3c6a52-77f1&response_type=code&redirect_uri=https%3A%2F%2Fparley.example%2Freturn&scope=openid%20profile%20offline_access&code_challenge_method=S256&state=${state}`;
  await page.evaluate((url) => window.gallery.ask('c.1', { interactionType: 'url', title: 'Sign in', url }), url);
  const address = page.locator('.url');
  expect(await address.innerText()).toBe(url);
  expect(await address.locator('b').innerText()).toBe('login.example');
  const { height, hidden } = await address.evaluate((it) => ({
    height: it.clientHeight,
    hidden: it.scrollHeight - it.clientHeight + it.scrollWidth - it.clientWidth,
  }));
  expect(hidden).toBe(0);
  expect(height).toBeLessThan(165);
});

test('[WEB5] a double click sends one answer', async () => {
  await ask('c.1', approval);
  await page.getByRole('button', { name: 'Allow once' }).dblclick();
  await page.getByText('Allowed once').waitFor();
  expect(await countAnswers()).toBe(1);
});

test('[WEB3] a refused answer keeps the form and says why', async () => {
  await ask('c.1', input(oneField));
  await page.evaluate(() => {
    const refusal = { code: 'storage_full', message: 'The disk is full.' } as const;
    window.gallery.server.refuse = (frame) =>
      frame.type === 'tool_interaction_response' ? window.gallery.makeRefusal(refusal) : undefined;
  });
  await page.getByRole('textbox', { name: 'Email' }).fill('ada@example.org');
  await page.getByRole('button', { name: 'OK' }).click();
  await page.getByRole('alert').filter({ hasText: 'The disk is full.' }).waitFor();
  expect(await page.getByRole('textbox', { name: 'Email' }).inputValue()).toBe('ada@example.org');
  await page.evaluate(() => {
    window.gallery.server.refuse = undefined;
  });
  await page.getByRole('button', { name: 'OK' }).click();
  await page.getByText('Submitted').waitFor();
});

test('[WEB3] an answer from another device says so', async () => {
  await ask('c.1', approval);
  await page.evaluate(() => {
    const { by, append } = window.gallery;
    const answer = { toolCallId: 'c', interactionId: 'c.1', answerId: 'a', action: 'deny' } as const;
    append({ type: 'interaction_response', payload: { ...answer, by: { ...by, label: 'Phone' } } });
  });
  await page.getByText('Answered on another device (Phone)').waitFor();
});

test.each([
  ['timeout', 'Nobody answered in time'],
  ['cancelled', 'Cancelled: no longer needed'],
  ['superseded', 'Superseded by a newer question'],
  ['orphaned', 'Orphaned: its tool no longer exists'],
  ['handler_error', 'Closed: its tool failed'],
] as const)('[RPL3] a prompt closed by %s says so', async (reason, words) => {
  await ask('c.1', approval);
  await page.evaluate((reason) => {
    window.gallery.append({ type: 'interaction_closed', payload: { toolCallId: 'c', interactionId: 'c.1', reason } });
  }, reason);
  await page.getByText(words).waitFor();
  expect(await page.locator('parley-approval').count()).toBe(0);
});

test('[INT10] an expired prompt waits for its tool; a pending one can still be answered', async () => {
  await ask('c.1', input(oneField));
  const id = { toolCallId: 'c', interactionId: 'c.1' };
  await page.evaluate((payload) => void window.gallery.append({ type: 'interaction_expired', payload }), id);
  await page.getByText('Time is up').waitFor();
  expect(await page.getByRole('button', { name: 'OK' }).isDisabled()).toBe(true);
  await page.evaluate(
    (id) => void window.gallery.append({ type: 'interaction_pending', payload: { ...id, message: 'I go on' } }),
    id,
  );
  await page.getByText('The tool continued without an answer; you can still give one. It says: “I go on”').waitFor();
  await page.getByRole('textbox', { name: 'Email' }).fill('x');
  await page.getByRole('button', { name: 'OK' }).click();
  await page.locator('summary').filter({ hasText: 'late' }).waitFor();
});

test('[INT15] with interaction off a prompt is read-only; turning it on enables the prompt at once', async () => {
  await page.evaluate(() => window.gallery.client.setInteractionEnabled(false));
  await ask('c.1', approval);
  await page.getByText('Interactive mode disabled — enable to respond').waitFor();
  expect(await page.getByRole('button', { name: 'Deny' }).isDisabled()).toBe(true);
  await page.evaluate(() => window.gallery.client.setInteractionEnabled(true));
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByText('Denied').waitFor();
});

test('[WEB4] a card that fails to render shows its JSON, and the page keeps working', async () => {
  await ask('c.1', input({ type: 'form', fields: [null] } as never, { title: 'Broken' }));
  await page.getByText('A prompt that cannot be shown').waitFor();
  await ask('d.1', approval);
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
});

test('[EVT5] an unknown event is shown as JSON', async () => {
  await page.evaluate(() => void window.gallery.append({ type: 'from_the_future', payload: { secret: 7 } } as never));
  await page.getByText('An event from a newer version: from_the_future').click();
  await page.getByText('"secret": 7').waitFor();
});

test('[WEB1] the summary template is filled as plain text', async () => {
  const summaryTemplate = '{{by}}: <b>{{input.email}}</b> {{action}} {{nothing}}!';
  await ask('c.1', input(oneField, { completedView: { summaryTemplate } }));
  await page.getByRole('textbox', { name: 'Email' }).fill('a@b.example');
  await page.getByRole('textbox', { name: 'Email' }).press('Enter');
  await page.getByText('owner (Gallery): <b>a@b.example</b> submit !').waitFor();
});

test('[WEB2] opening a card in a dialog keeps what was typed', async () => {
  await ask('c.1', input(oneField));
  await page.getByRole('textbox', { name: 'Email' }).fill('half');
  await page.getByRole('button', { name: 'Open in a dialog' }).click();
  await page.getByRole('dialog').waitFor();
  expect(await page.getByRole('textbox', { name: 'Email' }).inputValue()).toBe('half');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await page.getByRole('textbox', { name: 'Email' }).inputValue()).toBe('half');
  expect(await countAnswers()).toBe(0);
});

test('[WEB2] a questionnaire is a row of its own, a composer prompt is docked', async () => {
  await ask('q.1', input(oneField, { presentation: 'questionnaire' }));
  await page.getByRole('textbox', { name: 'Email' }).waitFor();
  expect(await page.locator('parley-tool').count()).toBe(0);
  await ask('d.1', { ...approval, presentation: 'composer' });
  await page.locator('.dock').getByRole('button', { name: 'Allow once' }).click();
  await page.locator('parley-tool').getByText('Allowed once').waitFor();
  expect(await page.locator('.dock parley-card').count()).toBe(0);
});

test('[WEB6] no typing indicator is shown while the session waits for a person', async () => {
  const typing = page.getByRole('img', { name: 'The agent is working' });
  await page.evaluate(() => window.gallery.startTurn());
  await typing.waitFor();
  await ask('c.1', approval);
  await typing.waitFor({ state: 'detached' });
  expect(await page.locator('.dock > .status').innerText()).toBe('');
});

test('[WEB5, WEB7] a command breaks between its words, and inside one only if it is longer than a line', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  const text = `cd packages/web && npm run clean && rm -rf build/ --no-preserve-root && cat ${'x'.repeat(120)}`;
  await ask('c.1', { ...approval, subject: { kind: 'command', text } });
  const command = page.locator('parley-subject pre.command');
  await command.waitFor();
  expect(await command.innerText()).toBe(text);
  const broken = await command.locator('.word').evaluateAll((words) =>
    words
      .filter((word) => {
        const range = document.createRange();
        range.selectNodeContents(word);
        return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1;
      })
      .map((word) => word.textContent),
  );
  expect(broken).toEqual(['x'.repeat(120)]);
});

test('[SEC5] a model’s markdown cannot create HTML elements', async () => {
  const text = '# Title\n<img src=x onerror=alert(1)> **bold** [bad](javascript:alert(1)) [good](https://example.org)';
  await page.evaluate((text) => {
    window.gallery.startTurn();
    window.gallery.append({ type: 'assistant_done', payload: { block: 0, text }, turnId: 't1', responseId: 'r' });
  }, text);
  await page.locator('parley-markdown strong').waitFor();
  expect(await page.locator('parley-markdown img').count()).toBe(0);
  expect(await page.locator('parley-markdown a').evaluateAll((all) => all.map((a) => a.getAttribute('href')))).toEqual([
    'https://example.org',
  ]);
  await page.getByText('<img src=x onerror=alert(1)>').waitFor();
});

test('[SEC4] a prompt for somebody else says for whom, and has no controls', async () => {
  await ask('c.1', { ...approval, audience: { principals: ['Ann', 'Bob'] } });
  await page.getByText('Only Ann or Bob can answer this.').waitFor();
  expect(await page.locator('parley-approval').count()).toBe(0);
  await ask('c.2', { ...approval, audience: { role: 'operator' } });
  await page.getByRole('button', { name: 'Deny' }).waitFor();
});
