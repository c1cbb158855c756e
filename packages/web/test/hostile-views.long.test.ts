import { expect, test } from 'vitest';
import { listen, ok, plainForm, show, useViews } from './view-stage.ts';

useViews();

test('[PLG10] frames in a view have no network, either', async () => {
  const { stun, heard } = await listen();
  const { page } = await show('inner', { data: stun });
  const isOver = Promise.race([page.waitForEvent('crash'), page.waitForTimeout(3000)]); // Chromium 156 ends such a tab
  await isOver.catch(() => undefined);
  expect(heard).toEqual([]);
});

test('[PLG10] a view cannot navigate the tab', async () => {
  const { url, heard } = await listen();
  const { page, isHome } = await show('top', { data: url });
  await page.getByRole('definition').getByText('tried').waitFor();
  expect(isHome()).toBe(true);
  expect(await page.locator('iframe').count()).toBe(1);
  expect(heard).toEqual([]);
});

test('[PLG10] a view cannot close the tab', async () => {
  const { page, isHome } = await show('close');
  await page.getByRole('definition').getByText('tried').waitFor();
  expect(isHome()).toBe(true);
});

test.each(['away', 'gone', 'flood', 'huge', 'endless'])(
  '[PLG10] if a view goes elsewhere or sends too much, the plain form replaces it: %s',
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

test('[PLG10] messages of a view other than proposals have no effect, whatever they look like', async () => {
  const { page, isAnswered } = await show('spoof');
  await page.getByRole('definition').getByText('said all').waitFor();
  expect(isAnswered()).toBe(false);
  expect((await page.locator('iframe').boundingBox())?.height).toBeLessThanOrEqual(700);
});

test('[PLG10] a view that takes the focus gets none of the keys typed elsewhere', async () => {
  const { page, tab, session } = await show('focus');
  const box = page.getByRole('textbox', { name: 'Message' });
  await box.click();
  await page.getByText('It takes the focus.').waitFor();
  await box.pressSequentially('not for the view');
  expect(await box.inputValue()).toBe('not for the view');
  expect(tab.events(session).some(({ type }) => type === 'interaction_response')).toBe(false);
});
