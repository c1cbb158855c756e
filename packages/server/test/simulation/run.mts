import { playWorld } from './world.ts';
const [from = 1, count = 10, sessions = 10] = process.argv.slice(2).map(Number);
let [ok, bad] = [0, 0];
const cpu = process.cpuUsage();
for (let seed = from; seed < from + count; seed += 1) {
  try { await playWorld(seed, sessions); ok += 1; }
  catch (error) { bad += 1; console.log(seed, String(error.stack).split('\n').filter((l) => /✗|rror/.test(l)).slice(0, 3).join(' | ').slice(0, 300)); }
}
const used = process.cpuUsage(cpu);
console.log({ ok, bad, cpuMsEach: (used.user + used.system) / 1000 / count });
