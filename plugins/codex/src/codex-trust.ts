import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { isRecord, isWithheld } from '@parleyhq/core';

/** Our hook, with the key and hash by which Codex knows whether it is trusted. */
export interface CodexHook {
  readonly key: string;
  readonly hash: string;
  /** False if it was switched off in Codex. */
  readonly isEnabled: boolean;
}

/** How long to wait for Codex, in ms; it usually answers within a second. */
const patience = 20_000;

/** How long Codex may take to end, in ms. */
const endMs = 2000;

/**
 * Asks Codex for our hook in this settings file, because only Codex knows what the hash covers. It shows nothing of what Codex
 * prints. Undefined if that fails, or takes longer than `patienceMs`.
 */
export async function findCodexHook(path: string, patienceMs = patience): Promise<CodexHook | undefined> {
  const entries = Object.entries(process.env).filter(([name]) => !isWithheld(name)); // SEC8
  const env = { ...Object.fromEntries(entries), CODEX_HOME: dirname(path) };
  const child = spawn('codex', ['app-server'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.on('error', () => undefined); // the process has exited, so reading its output ends, too
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()).once('error', () => resolve()));
  const lines = createInterface({ input: child.stdout });
  child.once('error', () => lines.close()); // if the program does not exist, its output does not end by itself
  const timer = setTimeout(() => lines.close(), patienceMs);
  const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
  const clientInfo = { name: 'parley', title: 'Parley', version: '1' };
  send({ id: 1, method: 'initialize', params: { clientInfo } });
  try {
    for await (const line of lines) {
      const { id, result } = JSON.parse(line);
      if (id === 1) send({ method: 'initialized' });
      if (id === 1) send({ id: 2, method: 'hooks/list', params: { cwds: [dirname(path)] } });
      if (id === 2) return findOurs(result, path);
    }
    return undefined;
  } catch {
    return undefined; // another program with this name
  } finally {
    clearTimeout(timer);
    child.stdin.end();
    child.kill();
    const kill = setTimeout(() => child.kill('SIGKILL'), endMs);
    await ended;
    clearTimeout(kill);
    child.stdout.destroy(); // a process that it started may hold it open
  }
}

function findOurs(result: unknown, path: string): CodexHook | undefined {
  const { data } = isRecord(result) ? result : {};
  const [folder] = Array.isArray(data) ? data : [];
  const hooks: unknown[] = isRecord(folder) && Array.isArray(folder.hooks) ? folder.hooks : [];
  for (const hook of hooks) {
    if (!isRecord(hook) || hook.sourcePath !== path || hook.server !== 'parley' || hook.tool !== 'permission') continue;
    const { key, currentHash: hash, enabled } = hook;
    if (typeof key === 'string' && typeof hash === 'string') return { key, hash, isEnabled: enabled !== false };
  }
  return undefined;
}
