import { readFile } from 'node:fs/promises';
import { sleep } from './clock.ts';

/** Returns the memory of this process in bytes, as the kernel counts it, after a collection of garbage. */
export async function readMemory(): Promise<number> {
  for (let n = 0; n < 4; n += 1) {
    global.gc?.();
    await sleep(250);
  }
  const status = await readFile('/proc/self/status', 'utf8');
  return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]);
}
