import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** Reads the rows of five cells of a Markdown table. */
function readTable(text: string): string[][] {
  const lines = text.split('\n').filter((line) => /^\|([^|]*\|){5}$/.test(line));
  const rows = lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll(',', '')),
  );
  return rows.filter(([first]) => !first?.startsWith('-'));
}

test('a question costs what docs/benchmark.md says, and no more', { timeout: 120_000 }, async () => {
  const args = ['--conditions=source', '--import', 'tsx', 'bench/main.ts', 'counts'];
  const [documented, run] = await Promise.all([
    readFile(`${root}docs/benchmark.md`, 'utf8'),
    promisify(execFile)(process.execPath, args, { cwd: root }),
  ]);
  const [, section = ''] = documented.split('## What a question costs');
  const allowed = readTable(section.split('\n## ')[0] as string);
  const found = readTable(run.stdout);
  expect(found.map(([name]) => name)).toEqual(allowed.map(([name]) => name));
  expect(found[0]).toEqual(allowed[0]);
  const shown = found.map((row, r) =>
    row.map((cell, c) => {
      const bound = allowed[r]?.[c] as string;
      return bound.startsWith('≤') && Number(cell) <= Number(bound.slice(1)) ? bound : cell;
    }),
  );
  expect(shown).toEqual(allowed);
});
