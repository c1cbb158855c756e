import type { ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { findPort } from '../../../../plugins/postgres/test/support/use-postgres.ts';
import { Tab, type TabOptions } from '../../../server/test/support/tab.ts';
import { adapt, pathOf } from './example.ts';
import { Machine, type Output, untilReady } from './machine.ts';

/** Reads a setting of a unit. */
const settingOf = (unit: string, name: string): string =>
  new RegExp(`^${name}=(.*)$`, 'm').exec(adapt(unit))?.[1] ?? '';

/** What a unit runs, and how. */
interface Running {
  readonly command: readonly string[];
  readonly options: {
    readonly user: number;
    readonly cwd: string;
    readonly writable: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
}

/** A server of a unit, and its owner's way in. */
export interface Unit {
  readonly server: ChildProcess;
  /** Where it listens, which is not the address of its pages. */
  readonly url: string;
  readonly door: { open(options?: TabOptions): Promise<Tab> };
}

/** A machine on which the documented steps installed a server. No systemd runs on it: a test starts the units' commands. */
export class Installed {
  readonly machine: Machine;
  readonly #port: number;

  private constructor(machine: Machine, port: number) {
    this.machine = machine;
    this.#port = port;
  }

  /** @param steps - documented steps that come first */
  static async make(...steps: readonly string[]): Promise<Installed> {
    const installed = new Installed(new Machine(), await findPort());
    const { machine } = installed;
    installed.#putCheckout('opt/parley');
    mkdirSync(machine.path('etc/systemd/system'), { recursive: true });
    mkdirSync(machine.path('root'));
    chmodSync(machine.path('root'), 0o700);
    // npm has built already, and `systemctl` only notes what it should do
    for (const name of ['npm', 'systemctl'])
      machine.write(`local/bin/${name}`, `#!/bin/sh\necho ${name} "$@" >> /calls\n`, 0o755);
    for (const each of [...steps, 'install.sh']) await installed.follow(each);
    return installed;
  }

  /** Puts another built checkout next to the installed one. @returns its folder `packages/cli` */
  addCheckout(folder: string): string {
    this.#putCheckout(folder);
    return this.machine.path(folder, 'packages/cli');
  }

  /** Runs documented steps as root. @param changes - as for `adapt` */
  async follow(steps: string, changes: Readonly<Record<string, string>> = {}, cwd = '/'): Promise<void> {
    expect(await this.attempt(steps, changes, cwd), steps).toMatchObject({ code: 0, stderr: '' });
  }

  /** Runs documented steps, which may fail. */
  attempt(steps: string, changes: Readonly<Record<string, string>> = {}, cwd = '/'): Promise<Output> {
    this.machine.write(steps, adapt(steps, changes));
    return this.machine.run(['sh', `/${steps}`], { cwd });
  }

  /** Runs a documented line that root types after the installation, in the folder and with the environment of a log-in as root. */
  enter(line: string): Promise<Output> {
    const [, unit] = /^systemctl start (\S+)$/.exec(line) ?? [];
    if (unit !== undefined) {
      const { command, options } = this.read(unit);
      return this.machine.run(command, options);
    }
    const plain = line.replace(/^\(set -a; \. \S+; exec (.*)\)$/, '$1');
    const [, words] = /^runuser -u parley -- (.*)$/.exec(plain) ?? [];
    if (words === undefined) throw new Error(`Neither systemd nor runuser is asked for something: ${line}`);
    const [, file = ''] = /^\(set -a; \. (\S+);/.exec(line) ?? [];
    const env = { HOME: '/root', ...this.#readVariables(file), PARLEY_PORT: String(this.#port) };
    return this.machine.run(words.split(' '), { user: this.#user, cwd: '/root', env });
  }

  /** Returns what systemd would run for a unit. */
  read(unit: string): Running {
    const { machine } = this;
    const user = this.#user;
    const folders = settingOf(unit, 'StateDirectory').split(' ');
    for (const folder of folders) machine.makeFolder(`var/lib/${folder}`, user);
    const env = this.#readVariables(settingOf(unit, 'EnvironmentFile'));
    const cwd = settingOf(unit, 'WorkingDirectory') || '/';
    const writable = [...folders.map((folder) => `var/lib/${folder}`), 'tmp'];
    return {
      command: settingOf(unit, 'ExecStart').split(' '),
      options: { user, cwd, writable, env: { ...env, PARLEY_PORT: String(this.#port) } },
    };
  }

  /** Reads the variables of a file; none if it has no name. */
  #readVariables(file: string): Record<string, string> {
    const lines = file === '' ? [] : this.machine.read(file).trim().split('\n');
    const pairs = lines.filter((line) => !line.startsWith('#'));
    return Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/).slice(0, 2)));
  }

  /** Starts the server. @throws Error with its log, if it ends before it is ready */
  async start(): Promise<Unit> {
    const { command, options } = this.read('parley.service');
    const server = this.machine.start([...command, '--json'], options);
    const { token } = await untilReady(server);
    const open = (tab: TabOptions = {}) =>
      Tab.open(`ws://127.0.0.1:${this.#port}/ws`, { ...tab, hello: { token, ...tab.hello } });
    return { server, url: `http://127.0.0.1:${this.#port}`, door: { open } };
  }

  /** The user of the units. */
  get #user(): number {
    const [, id] = this.machine.read('etc/passwd').match(/^parley:x:(\d+):/m) ?? [];
    expect(id, 'the user of the units').toBeDefined();
    return Number(id);
  }

  #putCheckout(folder: string): void {
    const { machine } = this;
    mkdirSync(machine.path(folder, 'docs'), { recursive: true });
    for (const name of ['packages', 'plugins', 'docs/examples', 'package.json'])
      machine.link(pathOf(name), join(folder, name));
    mkdirSync(machine.path(folder, 'node_modules'));
    for (const name of [
      '@parleyhq',
      'better-sqlite3',
      'bindings',
      'file-uri-to-path',
      'postgres',
      'tsx',
      'esbuild',
      '@esbuild',
    ])
      machine.link(pathOf(`node_modules/${name}`), `${folder}/node_modules/${name}`);
  }
}
