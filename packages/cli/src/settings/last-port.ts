import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPlainFile } from '../io/plain-file.ts';

/** Stores the port of a data directory's server, for commands that know only the directory. */
export function keepPort(dataDir: string, port: number): void {
  const temporary = `${portFile(dataDir)}.part`;
  writeFileSync(temporary, `${port}\n`, { mode: 0o600 });
  renameSync(temporary, portFile(dataDir));
}

/** The port on which a data directory's server listens, or last did; undefined if it never has. */
export function readLastPort(dataDir: string): number | undefined {
  const port = Number(readPlainFile(portFile(dataDir)) ?? 0);
  return Number.isInteger(port) && port > 0 && port <= 65_535 ? port : undefined;
}

function portFile(dataDir: string): string {
  return join(dataDir, 'parley.port');
}
