import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { FakeServer } from '@parleyhq/client/testing';
import { RefusalError } from '@parleyhq/core';
import { makeTranscript, renderHtml } from '@parleyhq/core/transcript';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser, watchFaults } from './browser.ts';
import { mark, payloads, plainText, speakEverywhere } from './hostile-log.ts';
import { findCovered, type Inspection, inspect } from './inspection.ts';
import { Parley } from './parley.ts';

const widths = [390, 800, 1280];
const height = 800;
const folder = mkdtempSync(join(tmpdir(), 'parley-payload-'));
let browser: Browser;
let parley: Parley;
let plain: Views;

beforeAll(async () => {
  [browser, parley] = await Promise.all([launchBrowser(), new Parley('--no-auth').start()]);
  plain = await look(plainText);
});

afterAll(async () => {
  await browser.close();
  await parley.stop();
  rmSync(folder, { recursive: true });
});

interface View extends Inspection {
  readonly width: number;
  readonly covered: readonly string[];
}

interface Views {
  readonly live: readonly View[];
  readonly replayed: readonly View[];
  readonly exported: readonly Omit<View, 'covered'>[];
  readonly title: string;
  readonly frame: unknown;
  readonly faults: readonly string[];
}

/** Opens the page of a real server, with its WebSocket connected to a fake server under the test's control. */
async function openBefore(fake: FakeServer, faults: string[]): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1280, height } })).newPage();
  await watchFaults(page, (fault) => faults.push(fault));
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(parley.url).origin)
      faults.push(`request: ${request.url().slice(0, 200)}`);
  });
  await page.routeWebSocket('**/ws', (socket) => {
    const pipe = fake.openPipe();
    pipe.onmessage = (text) => socket.send(text);
    socket.onMessage((text) => pipe.send(String(text)));
    socket.onClose(() => pipe.close());
  });
  await page.goto(new URL('/s/s', parley.url).href);
  await page.locator('parley-composer textarea').waitFor();
  return page;
}

async function viewAll(page: Page): Promise<View[]> {
  const views: View[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height });
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    views.push({ width, ...(await inspect(page, mark)), covered: await findCovered(page) });
  }
  return views;
}

/** Returns everything that the page and the export show of a session with this text wherever untrusted text can occur. */
async function look(text: string): Promise<Views> {
  const fake = new FakeServer();
  const faults: string[] = [];
  fake.addSession('s', text);
  fake.addSession('other', text);
  const page = await openBefore(fake, faults);
  fake.append('s', ...speakEverywhere(text));
  for (const kind of ['text', 'thinking', 'tool_input'] as const) {
    fake.stream('s', { turnId: 't', responseId: 'next', block: kind.length, kind, offset: 0, text });
  }
  fake.stream('s', {
    turnId: 't',
    responseId: 'r',
    block: 9,
    kind: 'tool_output',
    toolCallId: 'text',
    offset: 0,
    text,
  });
  fake.sendToAll({
    type: 'draft',
    sessionId: 's',
    interactionId: 'alone.1',
    values: { 'f-text': text, 'f-textarea': text },
  });
  fake.refuse = (frame) =>
    frame.type === 'tool_interaction_response' || frame.type === 'user_message'
      ? new RefusalError('storage_full', { message: text })
      : undefined;
  await page.locator('[id="command.1"]').getByRole('button', { name: 'Deny' }).click();
  await page.getByText('Not accepted.').waitFor();
  await page.getByLabel('Message', { exact: true }).fill('Hello');
  await page.getByLabel('Message', { exact: true }).press('Enter');
  await page.locator('.dock > .failure').waitFor();
  const live = await viewAll(page);
  const frame = await describeFrame(page);
  await page.reload();
  await page.locator('[id="command.1"]').waitFor();
  const replayed = await viewAll(page);
  const title = await page.title();
  await page.context().close();
  return { live, replayed, exported: await viewExport(fake, text, faults), title, frame, faults };
}

async function viewExport(fake: FakeServer, text: string, faults: string[]): Promise<Omit<View, 'covered'>[]> {
  const at = '2026-03-02T10:00:00.000Z';
  const log = fake.log('s').filter(({ payload }) => !JSON.stringify(payload).includes('"broken')); // no server stores such a form
  const file = join(folder, 'transcript.html');
  writeFileSync(file, [...renderHtml(makeTranscript({ id: 's', title: text, createdAt: at }, log, at))].join(''));
  const page = await browser.newPage({ viewport: { width: 1280, height } });
  await watchFaults(page, (fault) => faults.push(fault));
  page.on('request', (request) => request.url().startsWith('file:') || faults.push(`request: ${request.url()}`));
  await page.goto(pathToFileURL(file).href);
  const views: Omit<View, 'covered'>[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height });
    views.push({ width, ...(await inspect(page, mark, 'blockquote, code, bdi', 26)) });
  }
  await page.close();
  return views;
}

/** Describes the frame of a card: text and size of its header and foot, and whether what is between them is clipped. */
async function describeFrame(page: Page): Promise<unknown> {
  const card = page.locator('[id="link.1"]');
  const lookThrough = async () => {
    for (const end of await card.locator('.end').all()) {
      await end.evaluate((it) => it.scrollIntoView({ block: 'center' })); // otherwise nothing can be allowed (WEB7)
      await page.waitForTimeout(100);
    }
    const isLive = card.locator('[data-answer="approve"]:enabled').waitFor({ timeout: 3000 }); // not while the card moves
    return isLive.then(
      () => true,
      () => false,
    );
  };
  while (!(await lookThrough())); // limited by the test's timeout
  const [parts, clips] = await Promise.all([
    Promise.all(
      ['header', '.foot'].map(async (part) => {
        const box = await card.locator(part).boundingBox();
        return [await card.locator(part).innerText(), Math.round(box?.width ?? 0), Math.round(box?.height ?? 0)];
      }),
    ),
    Promise.all(
      ['article', '.asked'].map((part) => card.locator(part).evaluate((it) => getComputedStyle(it).overflow)),
    ),
  ]);
  return { parts, clips };
}

test('[SEC5] harmless text passes the same inspection', () => {
  for (const { covered, strays, loud } of [...plain.live, ...plain.replayed]) {
    expect([covered, strays, loud]).toEqual([[], [], []]);
  }
  expect(plain.live[0]?.own).toMatchObject({ article: 9, 'parley-opaque': 2 });
});

describe.each(Object.entries(payloads))('[SEC5] %s', (_, text) => {
  let views: Views;

  beforeAll(async () => {
    views = await look(text);
  });

  test('runs nothing, loads nothing and breaks nothing', () => {
    expect(views.faults).toEqual([]);
  });

  test.each(['live', 'replayed', 'exported'] as const)('%s: stays text, where untrusted text belongs', (way) => {
    for (const [n, view] of views[way].entries()) {
      expect(view).toMatchObject({ strays: [], intruders: [], hidden: [], loud: [], overflow: 0 });
      expect([view.width, view.own]).toEqual([view.width, plain[way][n]?.own]);
    }
  });

  test.each(['live', 'replayed'] as const)('%s: covers no button', (way) => {
    for (const { width, covered } of views[way]) expect([width, covered]).toEqual([width, []]);
  });

  test('changes neither header and foot of a card nor the window title', () => {
    expect(views.frame).toEqual(plain.frame);
    expect(views.frame).toMatchObject({ clips: ['clip', 'auto'] });
    expect(views.title).toMatch(/ · Parley$/);
  });
});
