import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { clock } from '../process/clock.ts';
import { quantile, show } from './stats.ts';
import { printTable } from './table.ts';

/** Measures one durable write of 4 KiB, the lower bound of every serial figure. */
export function printFdatasync(dataDir: string): void {
  const file = openSync(join(dataDir, 'fdatasync'), 'w');
  const page = Buffer.alloc(4096);
  const times = Array.from({ length: 200 }, () => {
    const start = clock();
    writeSync(file, page);
    fdatasyncSync(file);
    return clock() - start;
  });
  closeSync(file);
  printTable(
    'fdatasync of 4 KiB, appended',
    ['p50 ms', 'p99 ms'],
    [[show(quantile(times, 0.5)), show(quantile(times, 0.99))]],
  );
}
