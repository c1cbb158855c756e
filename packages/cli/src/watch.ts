import { type ChildProcess, spawn } from 'node:child_process';
import { watch as watchFile } from 'node:fs';
import { dirname } from 'node:path';
import { makeToken } from '@parley/server';
import { resolveModule } from './import-module.ts';
import type { Settings } from './settings.ts';

/** Editors write a file in several steps. */
const settleMs = 150;

/**
 * `--watch`: the same command in a child that is stopped and started again when a plugin or the config changes. Sessions
 * go on where they were, with the same token: to a tab it is a reconnect.
 */
export async function watch(settings: Settings): Promise<void> {
  const args = process.argv.slice(1).filter((arg) => arg !== '--watch');
  const token = settings.auth ? (settings.token ?? makeToken()) : undefined;
  let child = start(args, token);
  let timer: NodeJS.Timeout | undefined;
  const restart = () => {
    process.stderr.write('parley: a plugin changed, starting again\n');
    const last = child;
    last.removeAllListeners('exit');
    last.once('exit', () => {
      child = start(args, token);
    });
    last.kill('SIGTERM');
    if (last.exitCode !== null) last.emit('exit');
  };
  const folders = new Set(listFiles(settings).map((file) => dirname(file)));
  for (const folder of folders) {
    watchFile(folder, () => {
      clearTimeout(timer);
      timer = setTimeout(restart, settleMs);
    });
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      child.removeAllListeners('exit');
      child.once('exit', (code) => process.exit(code ?? 0));
      child.kill(signal);
    });
  }
  await new Promise(() => undefined); // until a signal
}

function start(args: readonly string[], token: string | undefined): ChildProcess {
  const env = { ...process.env, ...(token !== undefined && { PARLEY_TOKEN: token }) };
  const child = spawn(process.execPath, [...process.execArgv, ...args], { stdio: 'inherit', env });
  child.once('exit', (code) => {
    if (code) process.stderr.write('parley: waiting for a change\n');
  });
  return child;
}

function listFiles({ plugins, configFile }: Settings): string[] {
  const modules = plugins.map((entry) => (typeof entry === 'string' ? entry : entry.module));
  const files = modules.map((module) => resolveModule(module, process.cwd()));
  return configFile === undefined ? files : [...files, configFile];
}
