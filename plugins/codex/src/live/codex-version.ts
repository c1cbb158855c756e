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
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined; // another machine's app server, or another user's
  }
  const version = await read('--version').catch(() => 'codex');
  return `${version.trim()} has no app server to attach to. Its hook asks people instead: parley connect codex`;
}
