import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const built = fileURLToPath(new URL('../dist/main.js', import.meta.url));

test('[OPS1] the build that `npm start` runs prints its URL, serves the page and every file the page names', async () => {
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

test('[OPS1] the build can be run by its name, which `npm link` gives it', async () => {
  expect((await stat(built)).mode & 0o111).toBe(0o111);
});

/** Reads which files a file of the bundle imports statically (`own`) and dynamically (`lazy`). */
async function readImports(file: string): Promise<{ text: string; own: string[]; lazy: string[] }> {
  const text = await readFile(file, 'utf8');
  const find = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, path = '']) => join(dirname(file), path));
  return {
    text,
    own: find(/^(?:import|export) [^'"]*["'](\.[^'"]+\.js)["'];/gm),
    lazy: find(/(?<=await |=> )import\(["'](\.[^'"]+)["']\)/g),
  };
}

/** Lists the files of the bundle that this one loads; with `isLazy`, also those that it may load later. */
async function listLoaded(file: string, isLazy = false, known = new Map<string, string>()) {
  if (known.has(file)) return known;
  const { text, own, lazy } = await readImports(file);
  known.set(file, text);
  for (const next of isLazy ? [...own, ...lazy] : own) await listLoaded(next, isLazy, known);
  return known;
}

/** Finds the command line's file. `main.js` only loads it, so that a failure to load is not exit code 1, a person's no. */
async function findProgram(): Promise<string> {
  const { lazy } = await readImports(built);
  const program = lazy.find((file) => basename(file).startsWith('program-'));
  if (program === undefined) throw new Error('main.js loads no program.');
  return program;
}

test('[OPS2, PLG15] `parley --version` and `--help` load the command line and nothing behind it', async () => {
  const loaded = await listLoaded(await findProgram());
  const texts = [...loaded.values()].join('\n');
  expect(texts).toContain('node_modules/commander/');
  for (const name of ['zod', 'pino', 'hono', 'ws', 'prom-client', '@anthropic-ai'])
    expect(texts).not.toContain(`node_modules/${name}/`);
  expect([...loaded.keys()].filter((file) => file.includes('/dist/plugins/'))).toEqual([]);
  expect(texts).toContain('connect codex');
  expect(texts).not.toContain('PermissionRequest'); // in what these plugins run
  expect(texts).not.toMatch(/"(better-sqlite3|tsx.*|node:http)"/);
});

test('[OPS2] a command loads its own part: only `serve` loads the web server', async () => {
  const { lazy } = await readImports(await findProgram());
  const parts = await Promise.all(
    lazy.map(async (file) => [basename(file).replace(/-.*/, ''), [...(await listLoaded(file)).values()]] as const),
  );
  const loading = (library: string) =>
    parts.filter(([, texts]) => texts.some((text) => text.includes(`node_modules/${library}/`))).map(([name]) => name);
  expect(new Set(parts.map(([name]) => name))).toEqual(
    new Set([
      'serve',
      'watch',
      'settings',
      'run',
      'configured',
      'export',
      'audit',
      'receipt',
      'statistics',
      'backup',
      'migrate',
      'grants',
      'token',
      'passkeys',
      'link',
      'pair',
      'logins',
      'notify',
      'doctor',
      'new',
      'check',
      'ask',
      'inbox',
      'answer',
      'comment',
      'chat',
      'tail',
      'mcp',
      'completion',
    ]),
  );
  expect([loading('hono'), loading('pino'), loading('prom-client')]).toEqual([['serve'], ['serve'], ['serve']]);
  expect(new Set(loading('ws'))).toEqual(new Set(['serve', 'grants', 'run', 'chat', 'tail', 'comment', 'doctor']));
  for (const sdk of ['@anthropic-ai/sdk', '@modelcontextprotocol/server', '@clack/prompts'])
    expect(loading(sdk)).toEqual([]);
});

test('the bundle holds no file that it does not load', async () => {
  const dist = dirname(built);
  const names = (await readdir(dist, { recursive: true })).filter((name) => name.endsWith('.js'));
  const loaded = [...(await listLoaded(built, true)).keys()].map((file) => relative(dist, file));
  expect(new Set(names)).toEqual(new Set(loaded));
  expect(names).toEqual(expect.arrayContaining(['plugins/ask-user/index.js', 'plugins/claude-agent/index.js']));
});
