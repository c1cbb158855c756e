import { mkdtempSync, rmSync } from 'node:fs';
import { Child } from '/work/main/bench/process/child.ts';

const dir = mkdtempSync('/tmp/parley-prof-');
const c = new Child(
  'parley/append.ts',
  [dir],
  process.argv[3] ? [] : ['--cpu-prof', '--cpu-prof-dir=/tmp/prof', '--cpu-prof-interval=200'],
);
const n = Number(process.argv[2] ?? 1);
for (let i = 0; i < 3; i++) console.log(await c.call('run', n, 1500));
const l = new Child('limit/append.ts', [dir]);
for (let i = 0; i < 2; i++) console.log('limit', await l.call('run', n, 1000));
await c.stop();
await l.stop();
rmSync(dir, { recursive: true });
