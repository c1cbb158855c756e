import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AuthorisationServer } from '../../../plugins/mcp/test/authorisation-server.ts';
import { demandToken, HttpToy } from '../../../plugins/mcp/test/http-toy.ts';
import { MailServer } from '../../../plugins/notifiers/test/mail-server.ts';
import { makeFolder } from '../../server/test/support/plugin-file.ts';
import { Tab } from '../../server/test/support/tab.ts';
import { findViolations } from './axe.ts';
import { launchBrowser, openPage } from './browser.ts';
import { Parley } from './parley.ts';

let browser: Browser;
let parley: Parley;
let tab: Tab;
let ann: string;
const post = new MailServer();
const authority = new AuthorisationServer('localhost'); // a different site than Parley's, so that browsers withhold its cookies
const toy = new HttpToy('modern', demandToken(authority));

beforeAll(async () => {
  await Promise.all([post.start(), authority.start(), toy.start()]);
  const file = join(makeFolder(), 'parley.config.json');
  const config = { server: post.address, from: 'parley@example.org' };
  const people = { ann: { to: 'ann@example.org' } };
  const notifiers = [{ notifier: 'mail', oneTimeLinks: true, config, people }];
  writeFileSync(
    file,
    JSON.stringify({ notifyAfterMs: 50, notifiers, pluginConfigs: { mcp: { mcpServers: { web: { url: toy.url } } } } }),
  );
  const papers = fileURLToPath(new URL('plugins/papers.mjs', import.meta.url));
  const server = new Parley('--config', file, '--plugin', papers);
  [browser, parley] = await Promise.all([launchBrowser(), server.start()]);
  ann = await parley.urlFor('responder', '--name', 'ann');
  tab = await Tab.open(new URL('/ws', parley.url.replace('http', 'ws')).href, { hello: { token: parley.token } });
});

afterAll(async () => {
  await browser.close();
  await Promise.all([parley.stop(), post.remove(), authority.remove(), toy.remove()]);
});

/** Makes a program ask, and returns the link in the mail. */
async function ask(tool: string, args: object) {
  const sessionId = await tab.createSession();
  await tab.follow(sessionId);
  await tab.say(sessionId, `/call ${tool} ${JSON.stringify(args)}`);
  const prompt = await tab.prompt(sessionId);
  const { text } = await post.mail((mail) => mail.text.includes(prompt.interactionId));
  const [link = ''] = /http\S+\/once#\S+/.exec(text) ?? [];
  return { sessionId, prompt, link };
}

const deploy = {
  title: 'Deploy?',
  subject: { kind: 'command', text: 'deploy --to production' },
  scopes: ['once', 'session'],
};
const open = (link: string, options = {}) => openPage(browser, link, options);
const heading = (page: Page) => page.getByRole('heading', { name: 'Deploy?' });

test('[NTF3] a one-time link shows one card without a log-in; only a click on its button answers', async () => {
  const { sessionId, prompt, link } = await ask('request_approval', deploy);
  const scanner = await open(link);
  await heading(scanner).waitFor();
  await scanner.context().close();
  const page = await open(link, { viewport: { width: 390, height: 800 } });
  await heading(page).waitFor();
  expect(new URL(page.url()).hash).toBe('');
  await page.getByText('You answer as ann').waitFor();
  await page.getByText('deploy --to production').waitFor();
  expect(await page.getByRole('textbox', { name: 'Token' }).count()).toBe(0);
  expect(await findViolations(page)).toEqual([]);
  expect(tab.events(sessionId).some(({ type }) => type === 'interaction_response')).toBe(false);
  expect(await page.getByRole('button', { name: /session/i }).count()).toBe(0); // no lasting consent
  await page.getByRole('button', { name: 'Deny' }).click();
  const taken = page.getByRole('status').getByRole('heading', { name: 'Your answer was taken' });
  await taken.waitFor();
  expect(await taken.evaluate((it) => it.matches(':focus'))).toBe(true);
  await page.getByText('Denied: Deploy?').waitFor();
  const { payload } = await tab.event(sessionId, 'interaction_response');
  expect(payload).toMatchObject({ interactionId: prompt.interactionId, action: 'deny', by: { name: 'ann' } });
  const again = await open(link);
  await again.getByRole('alert').filter({ hasText: 'This link is used up' }).waitFor();
  await page.reload();
  await page.getByRole('alert').filter({ hasText: 'Open the link in your mail again' }).waitFor();
});

test('[NTF3] a one-time link that found no server can be tried again by a click, and stays valid', async () => {
  const { link } = await ask('request_approval', deploy);
  const page = await open('about:blank');
  await page.route('**/api/once', (route) => route.abort(), { times: 1 });
  await page.goto(link);
  await page.getByRole('alert').filter({ hasText: 'The server is not responding.' }).waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await heading(page).waitFor();
});

test('[NTF3, WEB7] on a phone at twice the size all of a card can be reached', async () => {
  const { link } = await ask('request_approval', deploy);
  const page = await open(link, { viewport: { width: 195, height: 360 } });
  await heading(page).waitFor();
  const box = await page.getByRole('button', { name: 'Allow once' }).boundingBox();
  expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(195);
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByText('Your answer was taken').waitFor();
});

test('[NTF3] a form behind a one-time link can be filled in', async () => {
  const { sessionId, link } = await ask('ask_user', { question: 'Which tea?' });
  const page = await open(link);
  await page.getByRole('textbox').fill('Earl Grey');
  await page.getByRole('button', { name: 'OK' }).click();
  await page.getByText('Your answer was taken').waitFor();
  const { payload } = await tab.event(sessionId, 'interaction_response');
  expect(JSON.stringify(payload)).toContain('Earl Grey');
});

test('[NTF3, PLG13a] files for a form can be uploaded behind a one-time link', async () => {
  const { sessionId, link } = await ask('send_papers', {});
  const page = await open(link);
  const papers = page.locator('input[type="file"]');
  await papers.setInputFiles([{ name: 'one.txt', mimeType: 'text/plain', buffer: Buffer.alloc(300_000, 'a') }]);
  await page.getByRole('button', { name: 'Remove one.txt' }).waitFor();
  await page.getByRole('button', { name: 'OK' }).click();
  await page.getByText('Your answer was taken').waitFor();
  const { payload } = await tab.event(sessionId, 'tool_result');
  expect(payload).toMatchObject({ result: [300_000] });
});

test('[NTF3, PLG11] the author’s own buttons work behind a one-time link, too', async () => {
  const { sessionId, link } = await ask('shelve_papers', {});
  const page = await open(link);
  await page.getByRole('button', { name: 'Shred them' }).click();
  await page.getByText('Your answer was taken').waitFor();
  const { payload } = await tab.event(sessionId, 'tool_result');
  expect(payload).toMatchObject({ result: { button: 'shred' } });
});

test('[NTF3] if somebody else is logged in, the page says that the link is not theirs', async () => {
  const { link } = await ask('request_approval', deploy);
  const page = await open(await parley.urlFor('responder', '--name', 'bob'));
  await page.getByRole('button', { name: 'Account' }).waitFor();
  await page.goto(link);
  await page.getByRole('alert').filter({ hasText: 'someone other than the person who is logged in' }).waitFor();
  const own = await open(ann);
  await own.getByRole('button', { name: 'Account' }).waitFor();
  await own.goto(link);
  await heading(own).waitFor();
});

test('[AGT4, PLG11] a person signs in to an MCP server at another site, returns, and the call goes on', async () => {
  const page = await openPage(browser, parley.url);
  await page.getByRole('textbox', { name: 'Message' }).fill('/call web__sign_in {}');
  await page.keyboard.press('Enter');
  const [login] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('button', { name: 'Open link' }).click(),
  ]);
  await login.getByRole('status').filter({ hasText: 'You are back: the agent goes on.' }).waitFor();
  expect(login.url()).toBe(`${new URL(parley.url).origin}/return`); // the history does not have the query
  expect(await findViolations(login)).toEqual([]);
  await page.getByText('Signed in: the MCP server').first().waitFor();
  await page.getByRole('textbox', { name: 'Message' }).fill('/call web__picture {}');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: /picture/i, expanded: false }).click();
  const image = page.getByRole('img', { name: 'Image 1 that the tool returned' });
  await image.waitFor();
  expect(await image.evaluate((it: HTMLImageElement) => it.decode().then(() => it.naturalWidth))).toBe(1);
  await page.getByText('[image 1: image/png, 1 kB]').waitFor();
  await login.reload();
  await login.getByRole('alert').filter({ hasText: 'There is nothing to finish here' }).waitFor();
});

test('[SEC3, NTF3] a link from another site also works if the page has its service worker', async () => {
  const page = await open(ann, { serviceWorkers: 'allow' });
  await page.getByRole('button', { name: 'Account' }).waitFor();
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.goto(`${authority.origin}/.well-known/oauth-authorization-server`);
  const inbox = new URL('/inbox', parley.url).href;
  const [response] = await Promise.all([
    page.waitForResponse((each) => each.url() === inbox && each.fromServiceWorker()),
    page.evaluate((url) => void setTimeout(() => location.assign(url)), inbox),
  ]);
  expect(response.status()).toBe(200);
  await page.getByRole('heading', { name: 'Needs you', level: 1 }).waitFor();
});

test('[AGT4, PLG11] a browser that is not logged in is told so, and may try again', async () => {
  const page = await openPage(browser, `${new URL(parley.url).origin}/return?code=c&state=s`);
  await page.getByRole('alert').filter({ hasText: 'This browser is not logged in to Parley.' }).waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('alert').filter({ hasText: 'not logged in' }).waitFor();
});
