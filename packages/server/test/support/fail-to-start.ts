import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type StartOptions, spawnServer } from './server-process.ts';

export interface FailedStart {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts a server that must fail, and returns its exit code and output. */
export async function failToStart(options: StartOptions): Promise<FailedStart> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'));
  const { child, stderr } = spawnServer(options.dataDir ?? join(folder, 'data'), options);
  let stdout = '';
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), 30_000);
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  await rm(folder, { recursive: true, force: true });
  return { code, stdout, stderr: stderr.join('') };
}
