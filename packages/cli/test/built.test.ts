import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const built = fileURLToPath(new URL('../dist/main.js', import.meta.url));

test('[OPS1] the build that `npm start` runs says its URL, serves the page and every file the page names', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-built-'));
  const child = spawn(process.execPath, [built, 'serve', '--json', '--port', '0', '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await rm(dataDir, { recursive: true, force: true });
  });
  const line = await new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve));
  const { url } = JSON.parse(line);
  const page = await fetch(url);
  expect(page.headers.get('content-type')).toContain('text/html');
  const html = await page.text();
  const files = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, file]) => file as string);
  expect(files.some((file) => file.endsWith('.js'))).toBe(true);
  for (const file of files) expect((await fetch(new URL(file, url))).status, file).toBe(200);
  expect((await fetch(new URL('/s/some-session/some-prompt', url))).headers.get('content-type')).toContain('text/html');
});
