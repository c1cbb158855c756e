import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { connectWebSocket, ParleyClient } from '@parleyhq/client';
import { afterAll, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { launchBrowser, openTab } from './browser.ts';

const dataDir = await mkdtemp(join(tmpdir(), 'mounted-'));
vi.stubEnv('PORT', '0');
vi.stubEnv('DATABASE', join(dataDir, 'parley.db'));
const { app, parley } = await import('../../../docs/examples/mount.mjs');
const origin = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
const browser = await launchBrowser();

afterAll(async () => {
  await browser.close();
  await parley.close();
  app.close();
  await rm(dataDir, { recursive: true });
});

test('[TRN3a, TRN3] an application’s own page has the inbox of a server that is mounted on it, and its log-in', async () => {
  class WithCookie extends WebSocket {
    constructor(url: string) {
      super(url, { headers: { origin, cookie: 'login=k3y' } });
    }
  }
  const transport = connectWebSocket(`${origin.replace('http', 'ws')}/agents/ws`, WithCookie);
  const other = new ParleyClient({ transport });
  other.start();
  const session = other.open((await other.createSession()).id);
  await session.send('/call greet');

  const context = await browser.newContext();
  await context.addCookies([{ name: 'login', value: 'k3y', url: origin }]);
  await context.route('**/elements/*', async (route) => {
    const name = basename(new URL(route.request().url()).pathname);
    const body = await readFile(new URL(`../dist/elements/${name}`, import.meta.url), 'utf8');
    await route.fulfill({ body, contentType: 'text/javascript' });
  });
  const page = await openTab(await context.newPage(), origin);
  await page.getByRole('textbox', { name: 'Name' }).fill('Ada');
  await page.getByRole('button', { name: 'OK' }).click();

  await expect.poll(() => JSON.stringify([...session.state.items.values()])).toContain('Hello, Ada!');
  other.stop();
});
