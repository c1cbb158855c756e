import { expect, test } from 'vitest';
import { open, run, useApps } from './app-stage.ts';
import { listen } from './view-stage.ts';

useApps('legacy');

test('[AGT4, PLG10] a page of an MCP server shows a call below its arguments, and nothing that it asks for happens', async () => {
  const { page, frame, tab, session, isAnswered, isHome } = await open('chart', { city: 'Bern' });
  await frame.getByText('It shows {"city":"Bern"}').waitFor();
  for (const said of ['link: -32000', 'message: -32000', 'tool: -32000', 'unknown: -32601', 'theme: light'])
    await frame.getByText(said).waitFor();
  expect(await page.locator('parley-subject').getByText('"Bern"').count()).toBe(1);
  expect(await page.getByTitle('A view of the MCP server apps').getAttribute('sandbox')).toBe('allow-scripts');
  expect(isHome()).toBe(true);
  expect(isAnswered()).toBe(false);
  const allow = page.locator('parley-approval').getByRole('button', { name: 'Allow once' });
  await expect.poll(() => allow.click({ timeout: 500 }).then(isAnswered, isAnswered)).toBe(true); // not while the buttons move
  expect((await tab.event(session, 'tool_result')).payload).toMatchObject({ result: 'done' });
});

test('[AGT4, PLG10] a page that declares origins loads once somebody wants it, reaches these alone, and the card names them', async () => {
  const { url, heard } = await listen();
  const urls = ['https://api.example.org/a', 'https://b.example.net/', 'https://x.example.org/', `${url}/c`];
  const { page, frame, sent, isAnswered } = await open('fetch', { urls, image: 'https://cdn.example.org/i.svg' });
  await page.getByText('send them what it shows: https://api.example.org, https://cdn.example.org.').waitFor();
  expect(await page.locator('iframe').count()).toBe(0);
  await page.getByRole('button', { name: 'Show the view' }).click();
  await frame.getByText('image loaded').waitFor();
  await frame.getByText('https://api.example.org/a answered').waitFor();
  for (const other of urls.slice(1)) await frame.getByText(`${other} blocked`).waitFor();
  expect(sent).toEqual(['https://api.example.org/a', 'https://cdn.example.org/i.svg']);
  expect(heard).toEqual([]);
  expect(await page.getByText('send them what it shows: https://api.example.org').count()).toBe(1);
  expect(isAnswered()).toBe(false);
});

test('[AGT4] a page of another type leaves the plain card', async () => {
  const { page, tab, session } = await open('markdown', { note: 'plain' });
  await page.locator('parley-subject').getByText('"plain"').waitFor();
  expect(await page.locator('parley-view').count()).toBe(0);
  expect((await tab.event(session, 'interaction_request')).payload).not.toHaveProperty('view');
});

test('[AGT4] servers learn that Parley shows pages, and agents are not offered tools for pages alone', async () => {
  const told = await run('client');
  expect(JSON.parse(String(told.result)).extensions).toEqual({
    'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] },
  });
  expect((await run('for_pages')).error).toMatchObject({ code: 'unknown_tool' });
});
