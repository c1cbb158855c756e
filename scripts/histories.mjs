// `npm run test:histories -- [histories] [seed]`: plays random histories of several nodes on one database on all processors, many
// more than `npm test` does. See packages/server/test/simulation.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { ensure } from './ensure.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const HISTORIES_EACH = 10;
const WORLDS_PER_PROCESS = 25; // each world leaves its nodes in memory
const [count = '10000', seed = '1'] = process.argv.slice(2);
for (const value of [count, seed]) {
  if (!/^[1-9]\d*$/.test(value))
    throw new Error(`test:histories takes a number of histories and, optionally, a seed, not "${value}".`);
}

await ensure({});
const begun = Date.now();
const first = Number(seed);
const worlds = Math.ceil(Number(count) / HISTORIES_EACH);
let [next, done, failed] = [first, 0, 0];

async function work() {
  while (next < first + worlds) {
    const from = next;
    const many = Math.min(WORLDS_PER_PROCESS, first + worlds - from);
    next += many;
    const broken = await play(from, many); // other processes update the counters while this one runs
    failed += broken;
    done += many;
    process.stderr.write(`${done * HISTORIES_EACH} histories, ${Math.round((Date.now() - begun) / 1000)} s\n`);
  }
}

/** Plays worlds in a process. @returns the number of worlds that broke a promise */
function play(from, many) {
  const program = join(ROOT, 'packages/server/test/simulation/main.ts');
  const child = spawn(
    process.execPath,
    ['--conditions=source', '--import', 'tsx', program, String(from), String(many), String(HISTORIES_EACH)],
    {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (status) => {
      process.stdout.write(output);
      const broken = output.match(/^PARLEY_SEED=/gm)?.length ?? 0;
      if (status !== 0 && broken === 0) reject(new Error(`The worlds from seed ${from} on ended with ${status}.`));
      else resolve(broken);
    });
  });
}

await Promise.all(Array.from({ length: availableParallelism() }, work));
const seconds = Math.round((Date.now() - begun) / 1000);
console.log(
  `${worlds * HISTORIES_EACH} histories from seed ${first} in ${seconds} s: ${failed} of ${worlds} worlds broke a promise.`,
);
process.exitCode = failed > 0 ? 1 : 0;
