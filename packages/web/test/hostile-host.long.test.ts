import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Asked, useHostPage } from './host-page.ts';

const site = useHostPage();
const { host, parley, ask, outcomeOf } = site;

async function makeToken(): Promise<string> {
  return new URL(await parley.urlFor('responder')).hash.slice('#token='.length);
}

const question = 'ask_user {"question": "Tea?"}';
const deletion = 'delete_files {"files": ["a.txt", "b.txt"]}';
const tagOf = ({ sessionId, interactionId }: Asked, token: string | null = parley.token, more = '') =>
  `<parley-interaction server="${host.server}" token="${token}" session-id="${sessionId}" interaction-id="${interactionId}" ${more}></parley-interaction>`;

async function open(body: string, css = ''): Promise<Page> {
  const page = await site.open(body);
  page.setDefaultTimeout(15_000);
  await page.evaluate((css) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    document.adoptedStyleSheets = [sheet];
  }, css);
  return page;
}

const allow = (page: Page) => page.getByRole('button', { name: 'Allow once' });

test('[INT18, TRN3] two people on one page keep what each of them typed, and see nothing of the other’s', async () => {
  const asked = await ask(question);
  const [ann, bob] = [await makeToken(), await makeToken()];
  const body = `<div id="ann">${tagOf(asked, ann)}</div><div id="bob">${tagOf(asked, bob)}</div>`;
  const page = await open(body);
  const fieldOf = (id: string) => page.locator(`#${id}`).getByRole('textbox', { name: 'Answer' });
  await fieldOf('ann').fill('of Ann');
  await fieldOf('bob').fill('of Bob');
  await page.reload();
  await expect.poll(() => fieldOf('ann').inputValue()).toBe('of Ann');
  await expect.poll(() => fieldOf('bob').inputValue()).toBe('of Bob');
});

test('[WEB7, TRN3] if the page around covers or cuts off a subject, it cannot be allowed until it is in view', async () => {
  const asked = await ask(deletion);
  const page = await open(
    `${tagOf(asked)}<div id="banner">Cookies?</div>`,
    '#banner { position: fixed; inset: 0 0 30%; background: white; z-index: 99 }',
  );
  await page.locator('parley-interaction').getByText('Read to the end to allow it.').waitFor();
  expect(await allow(page).isDisabled()).toBe(true);
  await page.evaluate(() => document.querySelector('#banner')?.remove());
  await expect.poll(() => allow(page).isEnabled()).toBe(true);
});

test('[TRN3] text styles of the page around do not apply to a card', async () => {
  const asked = await ask(deletion);
  const css = `body { text-align: center; text-transform: uppercase; letter-spacing: 1em; word-spacing: 2em; line-height: 4;
    font-style: italic; text-indent: -999px; white-space: nowrap; visibility: visible; cursor: wait; text-shadow: 0 0 9px red;
    -webkit-text-fill-color: transparent; -webkit-text-security: disc; user-select: none; word-break: break-all;
    font-size: 40px; font-weight: 900; font-variant: small-caps; pointer-events: auto; quotes: none }`;
  const page = await open(tagOf(asked), css);
  const names = [
    ...['text-align', 'text-transform', 'letter-spacing', 'word-spacing', 'font-style', 'text-indent', 'text-shadow'],
    ...['-webkit-text-fill-color', '-webkit-text-security', 'word-break', 'font-variant', 'cursor'],
  ];
  const styleOf = () =>
    page
      .getByRole('heading', { name: /^Delete/ })
      .evaluate((it, names) => names.map((name) => `${name}: ${getComputedStyle(it).getPropertyValue(name)}`), names);
  const styled = await styleOf();
  await page.evaluate(() => {
    document.adoptedStyleSheets = [];
  });
  expect(styled).toEqual(await styleOf());
});

test('[TRN3, INT5] an element that is removed while an answer is sent, and put back, shows how it ended', async () => {
  const asked = await ask(deletion);
  const page = await open(`<main>${tagOf(asked)}</main>`);
  await expect.poll(() => allow(page).isEnabled()).toBe(true);
  await page.evaluate(() => {
    const element = document.querySelector('parley-interaction') as HTMLElement;
    document.addEventListener('click', () => element.remove(), { once: true });
  });
  await allow(page).click();
  await expect.poll(() => outcomeOf(asked)).toMatchObject({ action: 'approve' });
  await page.evaluate((tag) => {
    const element = document.createElement('parley-interaction');
    for (const [, name = '', value = ''] of tag.matchAll(/([\w-]+)="([^"]*)"/g)) element.setAttribute(name, value);
    document.querySelector('main')?.append(element);
  }, tagOf(asked));
  await page.getByText('Allowed once').waitFor();
});

test('[INT5, TRN3] if two elements show one prompt, the unused one shows the answer, too, and it is announced once', async () => {
  const asked = await ask(question);
  const page = await open(`<div id="a">${tagOf(asked)}</div><div id="b">${tagOf(asked)}</div>`);
  await page.evaluate(() => {
    Object.assign(window, { told: [] });
    document.addEventListener('parley-answered', (event) =>
      (window as unknown as { told: unknown[] }).told.push((event.target as Element).parentElement?.id),
    );
  });
  const field = page.locator('#a').getByRole('textbox', { name: 'Answer' });
  await field.fill('Yes');
  await field.press('Control+Enter');
  await page.locator('#a').getByText('Submitted').waitFor();
  await page.locator('#b').getByText('Submitted').waitFor();
  expect(await page.evaluate(() => (window as unknown as { told: unknown[] }).told)).toEqual(['a']);
});

test('[SEC9, TRN3] revoking a token while its prompt is shown is reported, and disables all buttons', async () => {
  const asked = await ask(deletion);
  const token = await makeToken();
  const page = await open(tagOf(asked, token));
  await expect.poll(() => allow(page).isEnabled()).toBe(true);
  await parley.revokeNewest();
  await page.getByRole('alert').filter({ hasText: 'does not let this page in' }).waitFor();
  const box = await allow(page).boundingBox();
  const hitsButton = () =>
    page.evaluate(
      ([x, y]) => {
        let hit = document.elementFromPoint(x, y);
        while (hit?.shadowRoot) {
          const inner: Element | null = hit.shadowRoot.elementFromPoint(x, y);
          if (!inner || inner === hit) break;
          hit = inner;
        }
        return hit?.localName === 'button';
      },
      [(box?.x ?? 0) + 8, (box?.y ?? 0) + 8] as const,
    );
  expect(await hitsButton()).toBe(false);
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.localName)).toBe('body');
});

test.each([
  ['in a column of 200 px', 'body { width: 200px; margin: 0 }', ''],
  ['from right to left', 'body { width: 360px; margin: 0 }', 'dir="rtl"'],
])('[TRN3, WEB3] %s the whole card is inside its element', async (_, css, more) => {
  const asked = await ask(deletion);
  const page = await open(`<div ${more}>${tagOf(asked)}</div>`, css);
  await allow(page).waitFor();
  const box = await page.locator('parley-interaction').boundingBox();
  for (const button of await page.locator('parley-interaction').getByRole('button').all()) {
    const own = await button.boundingBox();
    if (!own) continue;
    expect(own.x).toBeGreaterThanOrEqual(box?.x ?? 0);
    expect(own.x + own.width).toBeLessThanOrEqual((box?.x ?? 0) + (box?.width ?? 0));
  }
  const [deny, once] = [
    await page.getByRole('button', { name: 'Deny' }).boundingBox(),
    await allow(page).boundingBox(),
  ];
  if (more) expect(deny?.x ?? 0).toBeGreaterThan(once?.x ?? 999);
});

test('[WEB7, TRN3] under a cover that lets presses through, a subject counts as hidden and cannot be allowed', async () => {
  const asked = await ask(deletion);
  const cover = '#cover { position: fixed; inset: 0; background: white; pointer-events: none; z-index: 99 }';
  const page = await open(`${tagOf(asked)}<div id="cover">You have won!</div>`, cover);
  await page.locator('parley-interaction').getByText('Read to the end to allow it.').waitFor();
  expect(await allow(page).isDisabled()).toBe(true);
  await page.evaluate(() => document.querySelector('#cover')?.remove());
  await expect.poll(() => allow(page).isEnabled()).toBe(true);
});

test.each([
  ['the element', 'parley-interaction { opacity: 0.02 }'],
  ['its card', 'parley-interaction::part(card) { opacity: 0.02 }'],
])('[WEB7, TRN3] if the page around fades %s, nothing can be allowed', async (_, css) => {
  const page = await open(tagOf(await ask(deletion)), css);
  await page.locator('parley-interaction').getByText('Read to the end to allow it.').waitFor();
  expect(await allow(page).isDisabled()).toBe(true);
  await page.evaluate(() => {
    document.adoptedStyleSheets = [];
  });
  await expect.poll(() => allow(page).isEnabled()).toBe(true);
});

test('[WEB7, TRN3] a press by a script allows nothing, but can deny', async () => {
  const asked = await ask(deletion);
  const page = await open(tagOf(asked));
  await expect.poll(() => allow(page).isEnabled()).toBe(true);
  await allow(page).evaluate((button) => (button as HTMLElement).click());
  await page.getByRole('button', { name: 'Deny' }).evaluate((button) => (button as HTMLElement).click());
  await expect.poll(() => outcomeOf(asked)?.action).toBe('deny');
});
