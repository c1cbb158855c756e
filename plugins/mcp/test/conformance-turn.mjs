// Runs the client of the conformance suite when its turn comes: the suite starts the clients of all scenarios at once, and counts
// slow ones as unreachable.
import { mkdirSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';

const slots = [1, 2, 3, 4].map((number) => join(tmpdir(), `parley-conformance-${number}`));

/** Takes a slot until this process ends. @returns whether it was free */
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
