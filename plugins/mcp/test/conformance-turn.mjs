// Runs the client of the conformance suite when its turn comes: the suite starts one for each scenario at once, and what takes long counts as unreachable.
import { mkdirSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';

const slots = [1, 2, 3, 4].map((number) => join(tmpdir(), `parley-conformance-${number}`));

/** @returns whether it was free, and is taken until this process ends */
function take(slot) {
  try {
    mkdirSync(slot);
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
  process.once('exit', () => rmdirSync(slot));
  return true;
}

while (!slots.some(take)) await setTimeout(100);
await import('./conformance-client.mjs');
