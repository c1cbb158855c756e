import { clock, sleep } from './clock.ts';

export interface StreamSpec {
  readonly perSecond: number;
  readonly ms: number;
}

/** Returns twenty characters that contain the current time in microseconds. */
function stamp(): string {
  return `${String(Math.round(clock() * 1000)).padStart(19, '0')} `;
}

/** Writes text deltas at a steady rate: those that are due, then a pause of at least one millisecond. */
export async function* writeDeltas({ perSecond, ms }: StreamSpec): AsyncGenerator<string> {
  const total = Math.round((perSecond * ms) / 1000);
  const start = clock();
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, Math.floor(((clock() - start) * perSecond) / 1000) + 1);
    for (; sent < due; sent += 1) yield stamp();
    await sleep(Math.max(1, 1000 / perSecond));
  }
}
