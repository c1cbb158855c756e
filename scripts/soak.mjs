// `npm run test:soak -- [kills] [seed]`: kills the server at random moments and sends it malformed frames and upgrade requests, for longer
// than `npm test` does.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { ensure } from './ensure.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const [kills = '500', seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);
for (const value of [kills, seed]) {
  if (!/^\d+$/.test(value))
    throw new Error(`test:soak takes a number of kills and, optionally, a seed, not "${value}".`);
}

const suites = ['kill-nine/random', 'frame-fuzz', 'upgrade-fuzz'];
const amounts = { PARLEY_FRAMES: '100000', PARLEY_UPGRADES: '10000' };

await ensure({});
const { status } = spawnSync(
  process.execPath,
  [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'journeys', ...suites],
  { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...amounts, PARLEY_KILLS: kills, PARLEY_SEED: seed } },
);
process.exitCode = status ?? 1;
