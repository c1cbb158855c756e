import { expect, test } from 'vitest';
import { listen, ok, plainForm, show, useViews } from './view-stage.ts';

useViews();

test('[PLG10] frames in a view reach no network, either', async () => {
  const { stun, heard } = await listen();
  const { page } = await show('inner', { data: stun });
  const isOver = Promise.race([page.waitForEvent('crash'), page.waitForTimeout(3000)]); // Chromium 156 ends such a tab
  await isOver.catch(() => undefined);
  expect(heard).toEqual([]);
});

test('[PLG10] a view takes the tab nowhere', async () => {
  const { url, heard } = await listen();
  const { page, isHome } = await show('top', { data: url });
  await page.getByRole('definition').getByText('tried').waitFor();
  expect(isHome()).toBe(true);
  expect(await page.locator('iframe').count()).toBe(1);
  expect(heard).toEqual([]);
});

test('[PLG10] a view does not close the tab', async () => {
  const { page, isHome } = await show('close');
  await page.getByRole('definition').getByText('tried').waitFor();
  expect(isHome()).toBe(true);
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

test('[PLG10] a view that takes the focus gets no key that is typed elsewhere', async () => {
  const { page, tab, session } = await show('focus');
  const box = page.getByRole('textbox', { name: 'Message' });
  await box.click();
  await page.getByText('It takes the focus.').waitFor();
  await box.pressSequentially('not for the view');
  expect(await box.inputValue()).toBe('not for the view');
  expect(tab.events(session).some(({ type }) => type === 'interaction_response')).toBe(false);
});
