// `npm test`: runs all tests and gates; its last lines say what was left out, and count what passed and failed. Arguments are passed to vitest and skip the gates;
// `--all` adds those of more-tests.mjs.
import process from 'node:process';
import { runGates } from './check.mjs';
import { ensure } from './ensure.mjs';
import { PROJECTS, testProject } from './more-tests.mjs';
import { runVitest } from './vitest.mjs';

async function main(args) {
  process.env.CHROMIUM = await ensure({ build: true, browser: true });
  if (args.length === 1 && args[0] === '--all') {
    const counts = await main([]);
    for (const project of Object.keys(PROJECTS)) counts.push(await testProject(project));
    return counts;
  }
  if (args.length > 0) return [runVitest(args, false)];
  const units = runVitest(['--project', 'unit', '--coverage'], true); // coverage is measured for the core only, because it slows end-to-end tests down
  return [units, runVitest(['--project', 'journeys'], true), await runGates()];
}

const args = process.argv.slice(2);
const counts = await main(args).catch((error) => {
  console.error(`\n${error.message}`);
  return [{ passed: 0, failed: 1 }];
});
// Once more at the end, where a long run is read.
for (const failure of counts.flatMap(({ failures = [] }) => failures)) console.log(`✗ ${failure}`);
const sum = (key) => counts.reduce((total, count) => total + count[key], 0);
process.exitCode = sum('failed') > 0 ? 1 : 0;
if (args.length === 0)
  console.log(
    'Left out: the long tests, and those with Firefox and programs of others. `npm test -- --all` runs them, too.',
  );
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
