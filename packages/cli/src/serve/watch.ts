import { type ChildProcess, spawn } from 'node:child_process';
import { watch as watchFile } from 'node:fs';
import { dirname } from 'node:path';
import { makeToken } from '@parleyhq/server';
import type { Settings } from '../settings/settings.ts';
import { clearStart } from './clear-start.ts';
import { openBrowser } from './open-browser.ts';
import { requireModule } from './plugins.ts';
import { watchedMark } from './watched-mark.ts';

/** How long to wait after a change, in ms: editors write a file in several steps. */
const settleMs = 150;

/** Files that a plugin consists of; others, such as a database next to it, do not cause a restart. */
const sourceName = /\.([cm]?[jt]s|json)$/;

/**
 * `--watch`: runs the same command in a child process and restarts it when a plugin or the config file changes. Sessions
 * continue on the same port and with the same token: a tab just reconnects. Never resolves.
 */
export async function watch(settings: Settings): Promise<void> {
  clearStart(settings.token);
  const watched = new WatchedServer(settings);
  let timer: NodeJS.Timeout | undefined;
  for (const folder of new Set(listFiles(settings).map((file) => dirname(file)))) {
    watchFile(folder, (_, name) => {
      if (name !== null && !sourceName.test(name)) return;
      clearTimeout(timer);
      timer = setTimeout(() => watched.restart(), settleMs);
    });
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => watched.stop(signal));
  await new Promise(() => undefined); // a signal ends the process
}

class WatchedServer {
  readonly #args: readonly string[];
  readonly #settings: Settings;
  readonly #env: NodeJS.ProcessEnv;
  /** Created here to outlive restarts of the child, which therefore does not print it. Undefined if the user chose a token. */
  readonly #ownToken: string | undefined;
  #port: number | undefined;
  #child: ChildProcess;
  #isRestarting = false;

  constructor(settings: Settings) {
    // The user changes the watched files themselves, so they are not asked to trust them at each restart.
    this.#args = [...process.argv.slice(1), '--trust'];
    this.#settings = settings;
    this.#ownToken = settings.auth && settings.token === undefined ? makeToken() : undefined;
    this.#env = {
      ...process.env,
      [watchedMark]: '1',
      ...(this.#ownToken !== undefined && { PARLEY_TOKEN: this.#ownToken }),
    };
    this.#child = this.#start();
  }

  restart(): void {
    process.stderr.write('parley: a plugin changed, restarting\n');
    this.#isRestarting = true;
    if (!this.#child.kill('SIGTERM')) this.#onExit(0); // it has already exited
  }

  stop(signal: NodeJS.Signals): void {
    this.#isRestarting = false;
    if (!this.#child.kill(signal)) process.exit(0);
  }

  /** The greeting is printed once, because port and URL stay the same; each further start prints one line. */
  #start(): ChildProcess {
    const isFirst = this.#port === undefined;
    const port = isFirst ? [] : ['--port', String(this.#port)];
    const child = spawn(process.execPath, [...process.execArgv, ...this.#args, ...port], {
      stdio: ['inherit', isFirst || this.#settings.json ? 'inherit' : 'ignore', 'inherit', 'ipc'],
      env: this.#env,
    });
    child.on('message', (message) => {
      const { port, url } = message as ReadyMessage;
      this.#port = port;
      if (isFirst && !this.#settings.json && this.#ownToken !== undefined)
        process.stdout.write(`  The token: ${this.#ownToken}\n`);
      if (isFirst && this.#settings.open) openBrowser(url, this.#settings.dataDir);
      if (!isFirst && !this.#settings.json) process.stdout.write(`  Parley is ready again: ${url}\n`);
    });
    child.once('exit', (code) => this.#onExit(code));
    return child;
  }

  #onExit(code: number | null): void {
    if (this.#isRestarting) {
      this.#isRestarting = false;
      this.#child = this.#start();
    } else if (code === 0) {
      process.exit(0);
    } else {
      process.stderr.write('parley: waiting for a change\n');
    }
  }
}

/** Message that a ready server sends to the process that watches it. */
export interface ReadyMessage {
  readonly port: number;
  readonly url: string;
}

function listFiles({ plugins, configFile }: Settings): string[] {
  const modules = plugins.map((entry) => (typeof entry === 'string' ? entry : entry.module));
  const files = modules.map((module) => requireModule(module, process.cwd()));
  return configFile === undefined ? files : [...files, configFile];
}
