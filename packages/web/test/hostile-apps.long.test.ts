import { expect, test } from 'vitest';
import { open, restart, useApps } from './app-stage.ts';
import { listen } from './view-stage.ts';

useApps('modern');

test.each(['network', 'top', 'close', 'parent'])(
  '[AGT4, PLG10, SEC3] a hostile page of an MCP server is contained: %s',
  async (attack) => {
    const { url, heard } = await listen();
    const { page, frame, tab, session, sent, isAnswered, isHome } = await open('hostile', { attack, url });
    await (attack === 'parent' ? frame.getByText('got 0.').first() : frame.getByText('tried.').first()).waitFor();
    expect([heard, sent]).toEqual([[], []]);
    expect(isHome()).toBe(true);
    expect((await page.locator('iframe').boundingBox())?.height).toBeLessThanOrEqual(700);
    await tab.ask({ type: 'read_events', sessionId: session, before: 1000, limit: 10 }); // anything sent before has then arrived
    expect(isAnswered()).toBe(false);
  },
);

test.each(['away', 'flood'])(
  '[AGT4, PLG10] a page of an MCP server that misbehaves is removed, and the card can still be answered: %s',
  async (attack) => {
    const { url, heard } = await listen();
    const { page, isAnswered } = await open('hostile', { attack, url });
    await page.getByText('The view of “apps” is not shown').waitFor();
    expect(await page.locator('iframe').count()).toBe(0);
    expect(heard).toEqual([]);
    const deny = page.locator('parley-approval').getByRole('button', { name: 'Deny' });
    await expect.poll(() => deny.click({ timeout: 500 }).then(isAnswered, isAnswered)).toBe(true);
  },
);

test('[AGT4, PLG10] a page of an MCP server that never speaks is removed', async () => {
  const { page } = await open('silent', {});
  await page.getByText('The view of “apps” is not shown: It did not load.').waitFor();
});

test('[AGT4, DUR5] a card has the same page after a restart', async () => {
  const { page, frame, tab, session } = await open('chart', { city: 'Bern' });
  await frame.getByText('It shows {"city":"Bern"}').waitFor();
  const { interactionId } = (await tab.event(session, 'interaction_request')).payload;
  await restart();
  await page.reload();
  await frame.getByText('It shows {"city":"Bern"}').waitFor();
  await page.locator(`a[href$="/${interactionId}"]`).first().waitFor();
  const allow = page.locator('parley-approval').getByRole('button', { name: 'Allow once' });
  const press = () => allow.click({ timeout: 500 }).catch(() => undefined); // not while the buttons move
  await expect.poll(() => press().then(() => allow.count())).toBe(0);
  await page.getByText('apps__chart returned: "done"').waitFor();
});
