import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Browser, FrameLocator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { Tab } from '../../server/test/support/tab.ts';
import { launchBrowser } from './browser.ts';
import { Parley } from './parley.ts';

const parley = new Parley('--no-auth', '--plugin', fileURLToPath(new URL('plugins/views.mjs', import.meta.url)));
let browser: Browser;

beforeAll(async () => {
  [browser] = await Promise.all([launchBrowser(), parley.start()]);
});
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
});
afterAll(async () => {
  await browser.close();
  await parley.stop();
});

interface Shown {
  readonly page: Page;
  readonly tab: Tab;
  readonly session: string;
  readonly frame: FrameLocator;
  /** The answer, once there is one. */
  answer(): Promise<object>;
  isAnswered(): boolean;
}

/** A card with a view of the tests' plugin, on a page of its own. */
function show(view: string, { tool = 'show', data = { word: 'blue' } as unknown } = {}): Promise<Shown> {
  return call(tool, { view, data });
}

async function call(tool: string, args: object): Promise<Shown> {
  const tab = await Tab.open(`ws://${new URL(parley.url).host}/ws`);
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, `/call ${tool} ${JSON.stringify(args)}`);
  await tab.prompt(session);
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${parley.url}s/${session}`);
  return {
    ...{ page, tab, session, frame: page.frameLocator('iframe') },
    answer: async () => (await tab.event(session, 'interaction_response')).payload,
    isAnswered: () => tab.events(session).some(({ type }) => type === 'interaction_response'),
  };
}

const ok = (page: Page) => page.getByRole('button', { name: 'OK' });
const plainForm = (page: Page) => page.locator('#field-word');

test('[PLG10] a view gets its data, proposes values of the form, and a person submits them', async () => {
  const { page, frame, answer } = await show('good');
  await frame.getByText('blue:').waitFor();
  expect(await plainForm(page).count()).toBe(0);
  await frame.getByRole('button', { name: 'Take it' }).click();
  await page.getByRole('definition').getByText('blue').waitFor(); // in our own words what is submitted
  await frame.getByText('blue: blue').waitFor();
  expect(await page.getByText('stolen').count()).toBe(0);
  await ok(page).click();
  expect(await answer()).toMatchObject({ action: 'submit', input: { word: 'blue' } });
});

test('[PLG10] the colour picker of the forms plugin picks a colour by sliders, also by keys', async () => {
  const { page, frame, answer } = await call('pick_colour', { start: '#ff0000' });
  await frame.getByRole('img', { name: 'The colour #ff0000' }).waitFor();
  await frame.getByLabel('Lightness').click(); // whoever points at it means it
  await frame.getByLabel('Lightness').press('Home');
  await page.getByRole('definition').getByText('#000000').waitFor();
  await ok(page).click();
  expect(await answer()).toMatchObject({ action: 'submit', input: { colour: '#000000' } });
});

test('[PLG10] the comparison of the forms plugin shows two images, and takes the one that is pressed', async () => {
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const image = `data:image/png;base64,${pixel}`;
  const sides = { before: { label: 'Old', image }, after: { label: 'New', image } };
  const { page, frame, answer } = await call('compare_images', sides);
  await expect
    .poll(() => frame.getByRole('img', { name: 'New' }).evaluate((img: HTMLImageElement) => img.naturalWidth))
    .toBe(1);
  await frame.getByRole('button', { name: 'New' }).click();
  await page.getByRole('definition').getByText('New').waitFor();
  await page.getByRole('button', { name: 'Use the plain form' }).click();
  expect(await page.getByRole('radio', { name: 'New' }).isChecked()).toBe(true);
  await ok(page).click();
  expect(await answer()).toMatchObject({ action: 'submit', input: { choice: 'after' } });
});

/** A server that hears whatever gets out: of each connection its first words, and each datagram. */
async function listen(): Promise<{ url: string; heard: string[] }> {
  const heard: string[] = [];
  const server = createServer((socket) => {
    heard.push('connection');
    socket.on('data', (data) => heard.push(String(data).slice(0, 40))).on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const datagrams = createSocket('udp4').on('message', () => heard.push('datagram'));
  await new Promise<void>((resolve) => datagrams.bind(port, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    datagrams.close();
  });
  return { url: `http://127.0.0.1:${port}`, heard };
}

test('[PLG10] a view reaches no network', async () => {
  const { url, heard } = await listen();
  const { page } = await show('network', { data: url });
  await page.getByRole('definition').getByText('tried').waitFor();
  await page.waitForTimeout(3000); // whatever is slow
  expect(heard).toEqual([]);
});

test('[PLG10] frames in a view reach no network, either', async () => {
  const { url, heard } = await listen();
  const { page } = await show('inner', { data: url });
  const isOver = Promise.race([page.waitForEvent('crash'), page.waitForTimeout(3000)]); // Chromium 156 ends such a tab
  await isOver.catch(() => undefined);
  expect(heard).toEqual([]);
});

test('[PLG10] a view sees nothing of the page, of other pages and of what browsers keep', async () => {
  const { page } = await show('parent');
  await page.getByRole('definition').getByText('got 0').waitFor();
});

test('[PLG10] a view takes the tab nowhere', async () => {
  const { url, heard } = await listen();
  const { page } = await show('top', { data: url });
  await page.getByRole('definition').getByText('tried').waitFor();
  expect(new URL(page.url()).origin).toBe(new URL(parley.url).origin);
  expect(page.context().pages()).toHaveLength(1);
  expect(await page.locator('iframe').count()).toBe(1);
  expect(heard).toEqual([]);
});

test.each(['away', 'gone', 'flood', 'huge', 'endless'])(
  '[PLG10] where a view goes elsewhere or says too much, the plain form takes its place: %s',
  async (view) => {
    const { url, heard } = await listen();
    const { page, answer } = await show(view, { data: url });
    await page.getByText('The view of “views” is not shown').waitFor();
    expect(await page.locator('iframe').count()).toBe(0);
    await plainForm(page).fill('mine');
    await ok(page).click();
    expect(await answer()).toMatchObject({ action: 'submit', input: { word: 'mine' } });
    expect(heard).toEqual([]);
  },
);

test('[PLG10] what a view says beside proposals is nothing, whatever it looks like', async () => {
  const { page, isAnswered } = await show('spoof');
  await page.getByRole('definition').getByText('said all').waitFor();
  expect(isAnswered()).toBe(false);
  expect((await page.locator('iframe').boundingBox())?.height).toBeLessThanOrEqual(700);
});

test('[PLG10, SEC5] a copy of our buttons answers nothing, and the card says whose view it is', async () => {
  const { page, frame, isAnswered, tab, session } = await show('buttons', { tool: 'agree' });
  for (const name of ['Allow once', 'OK', 'Deny']) await frame.getByRole('button', { name }).click();
  expect(await page.getByTitle('A view of the plugin views').count()).toBe(1);
  await tab.ask({ type: 'read_events', sessionId: session, before: 1000, limit: 10 }); // whatever was sent came first
  expect(isAnswered()).toBe(false);
  const allow = page.locator('parley-approval').getByRole('button', { name: 'Allow once' });
  await expect.poll(() => allow.click({ timeout: 500 }).then(isAnswered, isAnswered)).toBe(true); // buttons that just moved take no press
  expect((await tab.event(session, 'interaction_response')).payload).toMatchObject({ action: 'approve' });
});

test('[PLG10] a view that takes the focus gets no key that is typed elsewhere', async () => {
  const { page, tab, session } = await show('focus');
  const box = page.getByRole('textbox', { name: 'Message' });
  await box.click();
  await page.getByText('It takes the focus.').waitFor();
  await box.pressSequentially('not for the view');
  expect(await box.inputValue()).toBe('not for the view');
  expect(tab.events(session).some(({ type }) => type === 'interaction_response')).toBe(false);
});

test('[PLG10, SEC5] nothing is submitted that a view changed under the hand', async () => {
  const { page, isAnswered, answer } = await show('late');
  await page
    .getByRole('definition')
    .getByText(/turn \d+/)
    .waitFor();
  await page.getByRole('heading', { name: 'Which word?' }).press('Enter');
  await expect.poll(() => ok(page).isDisabled()).toBe(true);
  expect(isAnswered()).toBe(false);
  await page.getByRole('button', { name: 'Use the plain form' }).click();
  await plainForm(page).fill('mine');
  await ok(page).click();
  expect(await answer()).toMatchObject({ input: { word: 'mine' } });
});
