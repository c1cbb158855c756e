import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { expect, test } from 'vitest';
import { openPage } from './browser.ts';
import { useHostPage } from './host-page.ts';

const examples = new URL('../../../docs/examples/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, examples), 'utf8');

const site = useHostPage();
const { host, parley, outcomeOf } = site;

const ask = () => site.ask('delete_files {"files": ["todo.txt"]}', 'Release');

test('[TRN3] the ten lines of an example answer a prompt on another origin’s page, and another tab sees it', async () => {
  const asked = await ask();
  for (const name of ['embed.html', 'embed.mjs']) host.files.set(`/${name}`, read(name));
  host.files.set('/parley.json', JSON.stringify({ server: host.server, token: parley.token }));
  const page = await openPage(site.browser, `${host.origin}/embed.html`);
  const told = page.waitForEvent('console', (message) => message.text() === `approve: ${asked.interactionId}`);
  await page.getByRole('button', { name: 'Allow once' }).click();
  await told;
  await expect.poll(() => outcomeOf(asked)?.action).toBe('approve');
});

test('[TRN3] React sets the properties of an element and receives its events', async () => {
  const asked = await ask();
  const outDir = mkdtempSync(join(tmpdir(), 'parley-react-'));
  await build({
    root: fileURLToPath(examples),
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
  host.files.set('/prompt.json', JSON.stringify({ ...asked, server: host.server, token: parley.token }));
  const page = await site.open('<div id="root"></div>', '<script type="module" src="/app.js"></script>');
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByText('Settled: deny').waitFor();
  await expect.poll(() => outcomeOf(asked)?.action).toBe('deny');
});
