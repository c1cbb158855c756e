// Each gate is a function that takes the repository's root and returns the problems it finds. `node scripts/check.mjs size types`
// runs those two.
import { dirname } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { checkCircles } from './gates/circles.mjs';
import { checkLayers } from './gates/layers.mjs';
import { checkProducts } from './gates/products.mjs';
import { checkSize } from './gates/size.mjs';
import { checkDeadCode, checkStyle, checkTypes } from './gates/tools.mjs';
import { checkVersions } from './gates/versions.mjs';
import { checkWords } from './gates/words.mjs';

const GATES = {
  style: checkStyle,
  size: checkSize,
  versions: checkVersions,
  words: checkWords,
  layers: checkLayers,
  circles: checkCircles,
  products: checkProducts,
  types: checkTypes,
  'dead-code': checkDeadCode,
};

/** Runs the named gates in parallel, by default all, and prints each result. @returns the number that passed, and the failures */
export async function runGates(names = Object.keys(GATES)) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const run = { passed: 0, failures: [] };
  const results = await Promise.all(names.map(async (name) => [name, await GATES[name](root)]));
  for (const [name, problems] of results) {
    for (const problem of problems) console.log(problem);
    console.log(`${problems.length === 0 ? '✓' : '✗'} ${name}`);
    if (problems.length === 0) run.passed += 1;
    else run.failures.push(`the gate ${name}`);
  }
  return run;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => !(name in GATES));
  if (unknown.length > 0) {
    console.error(`Unknown gate: ${unknown.join(', ')}. Available: ${Object.keys(GATES).join(', ')}`);
    process.exitCode = 2;
  } else {
    const { failures } = await runGates(names.length > 0 ? names : undefined);
    process.exitCode = failures.length > 0 ? 1 : 0;
  }
}
