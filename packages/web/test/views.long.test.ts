import { expect, test } from 'vitest';
import { call, listen, ok, plainForm, show, useViews } from './view-stage.ts';

useViews();

const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const twoImages = { before: { label: 'Old', image: pixel }, after: { label: 'New', image: pixel } };

test('[PLG10] a view gets its data, proposes values of the form, and a person submits them', async () => {
  const { page, frame, answer } = await show('good');
  await frame.getByText('blue:').waitFor();
  expect(await plainForm(page).count()).toBe(0);
  await frame.getByRole('button', { name: 'Take it' }).click();
  await page.getByRole('definition').getByText('blue').waitFor(); // what is submitted, in our own words
  await frame.getByText('blue: blue').waitFor();
  expect(await page.getByText('stolen').count()).toBe(0);
  await ok(page).click();
  expect(await answer()).toMatchObject({ action: 'submit', input: { word: 'blue' } });
});

test('[PLG10] the colour picker of the forms plugin sets a colour by sliders, also by keyboard', async () => {
  const { page, frame, answer } = await call('pick_colour', { start: '#ff0000' });
  await frame.getByRole('img', { name: 'The colour #ff0000' }).waitFor();
  await frame.getByLabel('Lightness').click(); // a pointer over the frame makes it intentional
  await frame.getByLabel('Lightness').press('Home');
  await page.getByRole('definition').getByText('#000000').waitFor();
  await ok(page).click();
  expect(await answer()).toMatchObject({ action: 'submit', input: { colour: '#000000' } });
});

test.each(['pick_colour', 'compare_images'])(
  '[PLG10] the view of %s has its height even if it was loaded out of view',
  async (tool) => {
    const { page } = await call(tool, tool === 'pick_colour' ? { start: '#ff0000' } : twoImages);
    const src = await page.locator('iframe').getAttribute('src');
    const heights = await page.evaluate(async (src) => {
      const frame = Object.assign(document.createElement('iframe'), { src });
      frame.sandbox.add('allow-scripts');
      document.body.style.contentVisibility = 'hidden';
      document.body.replaceChildren(frame);
      const heights: number[] = [];
      await new Promise<void>((resolve) => {
        addEventListener('message', ({ data }) => {
          if (data.type === 'resize') heights.push(data.height);
          if (data.type === 'ready') frame.addEventListener('load', () => resolve(), { once: true });
        });
      });
      document.body.style.contentVisibility = 'visible';
      while (!heights.some((height) => height > 40)) await new Promise(requestAnimationFrame);
      return heights;
    }, src ?? '');
    expect(heights.at(-1)).toBeGreaterThan(40); // the smallest height that the page gives
  },
);

test('[PLG10] the comparison of the forms plugin shows two images, and submits the one that is clicked', async () => {
  const { page, frame, answer } = await call('compare_images', twoImages);
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

test('[PLG10] a view has no network', async () => {
  const [{ url, heard }, after] = [await listen(), await listen()];
  const { page } = await show('network', { data: url });
  await page.getByRole('definition').getByText('tried').waitFor();
  const last = await page.context().newPage();
  const opened = last.goto(after.url).catch(() => undefined); // nobody answers it
  await expect.poll(() => after.heard).not.toEqual([]); // requests that the view had begun would have arrived before
  expect(heard).toEqual([]);
  await last.close();
  await opened;
});

test('[PLG10] a view sees nothing of the page, of other pages and of the browser’s storage', async () => {
  const { page } = await show('parent');
  await page.getByRole('definition').getByText('got 0').waitFor();
});

test('[PLG10, SEC5] a copy of our buttons answers nothing, and the card says whose view it is', async () => {
  const { page, frame, isAnswered, tab, session } = await show('buttons', { tool: 'agree' });
  for (const name of ['Allow once', 'OK', 'Deny']) await frame.getByRole('button', { name }).click();
  expect(await page.getByTitle('A view of the plugin views').count()).toBe(1);
  await tab.ask({ type: 'read_events', sessionId: session, before: 1000, limit: 10 }); // anything sent before has then arrived
  expect(isAnswered()).toBe(false);
  const allow = page.locator('parley-approval').getByRole('button', { name: 'Allow once' });
  await expect.poll(() => allow.click({ timeout: 500 }).then(isAnswered, isAnswered)).toBe(true); // not while the buttons move
  expect((await tab.event(session, 'interaction_response')).payload).toMatchObject({ action: 'approve' });
});

test('[PLG10, SEC5] an answer that a view has just changed cannot be submitted', async () => {
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
