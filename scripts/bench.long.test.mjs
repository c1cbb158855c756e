import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { ensureBuild } from './ensure.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

// Checks no times, because a test machine has other work.
beforeAll(() => ensureBuild(), 120_000); // W10 starts the command

test.each([
  [
    [],
    ['fdatasync', 'W1 serial', 'W1 with 64', 'W2', 'W4 replay', 'W4 another tab', 'W6', 'W7', 'W8', 'W9', 'W10', 'W11'],
  ],
  [['network'], ['W5 connections', 'W5 a storm', 'W3', 'W7']],
])('the benchmark runs through %j and prints a table for every yardstick', { timeout: 240_000 }, (names, titles) => {
  const args = ['--conditions=source', '--import', 'tsx', join(root, 'bench/main.ts'), '--quick', ...names];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  for (const title of titles) expect(stdout).toMatch(new RegExp(`^${title}.*\\n\\n(\\|.*\\|\\n){3,}`, 'm'));
});
