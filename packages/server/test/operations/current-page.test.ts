import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useLocalServer } from '../support/local-server.ts';
import { makeFolder } from '../support/plugin-file.ts';

const assetsDir = makeFolder();
mkdirSync(join(assetsDir, 'assets'));
const files = { 'index.html': '<!doctype html>', 'sw.js': '', 'icon-192.png': '', 'assets/main-B_jETuNR.js': '' };
for (const [name, text] of Object.entries(files)) writeFileSync(join(assetsDir, name), text);

const server = useLocalServer({ assetsDir });

test.each([
  ['/', 'no-cache'],
  ['/inbox', 'no-cache'],
  ['/s/0198d2c4-4a51-7c1e-9b1f-6c2f1f0f6a11', 'no-cache'],
  ['/sw.js', 'no-cache'],
  ['/icon-192.png', 'no-cache'],
  ['/assets/main-B_jETuNR.js', 'public, max-age=31536000, immutable'],
])('[OPS8] a browser keeps %s as %s', async (path, kept) => {
  const { status, headers } = await fetch(server.httpUrl + path);
  expect([status, headers.get('cache-control')]).toEqual([200, kept]);
});
