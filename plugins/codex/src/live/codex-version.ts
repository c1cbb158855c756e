import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** How long to wait for Codex, in ms. */
const patienceMs = 20_000;

/**
 * Finds out whether the installed Codex has an app server that a second client can join.
 * @returns undefined if it has; otherwise why not, for people
 */
export async function findLack(): Promise<string | undefined> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^PARLEY_|_API_KEY$/.test(name))); // SEC8
  const read = async (...args: string[]) => (await run('codex', args, { env, timeout: patienceMs })).stdout;
  try {
    if (/--listen\b/.test(await read('app-server', '--help'))) return undefined;
  } catch (error) {
    const isRefused = typeof (error as { code?: unknown }).code === 'number'; // its exit code: there is no such command
    if (!isRefused) return undefined; // not installed here, or too slow to be known
  }
  const version = await read('--version').catch(() => 'codex');
  return `${version.trim()} has no app server to attach to. Its hook asks people instead: parley connect codex`;
}
