import { playWorld } from './world.ts';

// Runs worlds for scripts/histories.mjs; the arguments are the first seed, their number, and the histories of each. Prints a line
// for each that breaks a promise.
const [first = 1, worlds = 1, sessions = 10] = process.argv.slice(2).map(Number);
for (let seed = first; seed < first + worlds; seed += 1) {
  try {
    await playWorld(seed, sessions);
  } catch (error) {
    console.log(`PARLEY_SEED=${seed} ${String(error)}\n`);
    process.exitCode = 1;
  }
}
process.exit(); // nodes of the simulation are never closed
