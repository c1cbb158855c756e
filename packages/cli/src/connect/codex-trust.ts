import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { isRecord } from '@parleyhq/core';
import { readVersion } from '../own-package.ts';

/** By which Codex knows a hook that somebody trusts. */
export interface CodexHook {
  readonly key: string;
  readonly hash: string;
}

/** In ms: Codex answers within a second. */
const patience = 20_000;

/** Asks the program itself for our hook in this settings file: what a hash covers, only Codex knows. Undefined where it cannot be asked. */
export async function findCodexHook(path: string): Promise<CodexHook | undefined> {
  const entries = Object.entries(process.env).filter(([name]) => !/^PARLEY_|_API_KEY$/.test(name)); // SEC8
  const env = { ...Object.fromEntries(entries), CODEX_HOME: dirname(path) };
  const signal = AbortSignal.timeout(patience);
  const child = spawn('codex', ['app-server'], { env, stdio: ['pipe', 'pipe', 'ignore'], signal });
  child.stdin.on('error', () => undefined); // it is gone, and so is its output
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()).once('error', () => resolve()));
  const lines = createInterface({ input: child.stdout });
  void ended.then(() => lines.close()); // where there is no such program, its output does not end by itself
  const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
  const clientInfo = { name: 'parley', title: 'Parley', version: readVersion() };
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
    return undefined; // another program of this name
  } finally {
    child.stdin.end();
    child.kill();
    await ended;
  }
}

function findOurs(result: unknown, path: string): CodexHook | undefined {
  const { data } = isRecord(result) ? result : {};
  const [folder] = Array.isArray(data) ? data : [];
  const hooks: unknown[] = isRecord(folder) && Array.isArray(folder.hooks) ? folder.hooks : [];
  for (const hook of hooks) {
    if (!isRecord(hook) || hook.sourcePath !== path || hook.server !== 'parley' || hook.tool !== 'permission') continue;
    const { key, currentHash: hash } = hook;
    if (typeof key === 'string' && typeof hash === 'string') return { key, hash };
  }
  return undefined;
}
