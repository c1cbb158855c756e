import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { build } from 'vite';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ParleyClient } from '../../packages/client/src/index.ts';
import { launchBrowser, openPage } from '../../packages/web/test/browser.ts';
import { connectTab, HostPage } from '../../packages/web/test/host-page.ts';
import { Parley } from '../../packages/web/test/parley.ts';

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

const host = new HostPage();
const parley = new Parley();
let browser: Browser;
let other: ParleyClient;

beforeAll(async () => {
  parley.env = { PARLEY_ALLOWED_ORIGINS: await host.start() };
  [browser] = await Promise.all([launchBrowser(), parley.start()]);
  host.server = new URL(parley.url).origin;
  other = await connectTab(parley);
});

afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
});

afterAll(async () => {
  other.stop();
  host.close();
  await browser.close();
  await parley.stop();
});

/** Has the demo agent ask, in a session that another tab follows. */
async function ask() {
  const { id: sessionId } = await other.createSession({ title: 'Release' });
  const session = other.open(sessionId);
  await session.send('/call delete_files {"files": ["todo.txt"]}');
  await expect.poll(() => session.state.head.prompts.length).toBe(1);
  const interactionId = session.state.head.prompts[0]?.request.interactionId ?? '';
  const outcome = () => {
    const item = session.state.items.get(`interaction:${interactionId}`);
    return item?.kind === 'interaction' ? item.response?.payload.action : undefined;
  };
  return { sessionId, interactionId, outcome };
}

test('[TRN3] the ten lines of an example answer a prompt on another origin’s page, and another tab sees it', async () => {
  const { outcome, interactionId } = await ask();
  for (const name of ['embed.html', 'embed.mjs']) host.files.set(`/${name}`, read(name));
  host.files.set('/parley.json', JSON.stringify({ server: host.server, token: parley.token }));
  const page = await openPage(browser, `${host.origin}/embed.html`);
  const told = page.waitForEvent('console', (message) => message.text() === `approve: ${interactionId}`);
  await page.getByRole('button', { name: 'Allow once' }).click();
  await told;
  await expect.poll(outcome).toBe('approve');
});

test('[TRN3] React gives an element its properties and hears its events', async () => {
  const { outcome, ...prompt } = await ask();
  const outDir = mkdtempSync(join(tmpdir(), 'parley-react-'));
  await build({
    root: fileURLToPath(new URL('.', import.meta.url)),
    configFile: false,
    logLevel: 'warn',
    build: {
      outDir,
      target: 'es2022',
      modulePreload: false,
      lib: { entry: 'embed-react.mjs', formats: ['es'], fileName: 'app' },
      rolldownOptions: { output: { codeSplitting: false } },
    },
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  host.files.set('/app.js', readFileSync(join(outDir, 'app.js'), 'utf8'));
  rmSync(outDir, { recursive: true });
  host.files.set('/prompt.json', JSON.stringify({ ...prompt, server: host.server, token: parley.token }));
  const page = await host.open(browser, '<div id="root"></div>', '<script type="module" src="/app.js"></script>');
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByText('Settled: deny').waitFor();
  await expect.poll(outcome).toBe('deny');
});
