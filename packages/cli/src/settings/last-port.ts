import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPlainFile } from '../io/plain-file.ts';

/** Keeps where a data directory's server listens, for commands that are told the directory alone. */
export function keepPort(dataDir: string, port: number): void {
  const beside = `${portFile(dataDir)}.part`;
  writeFileSync(beside, `${port}\n`, { mode: 0o600 });
  renameSync(beside, portFile(dataDir));
}

/** The port at which a data directory's server listens, or did; undefined where it never has. */
export function readLastPort(dataDir: string): number | undefined {
  const port = Number(readPlainFile(portFile(dataDir)) ?? 0);
  return Number.isInteger(port) && port > 0 && port <= 65_535 ? port : undefined;
}

function portFile(dataDir: string): string {
  return join(dataDir, 'parley.port');
}
