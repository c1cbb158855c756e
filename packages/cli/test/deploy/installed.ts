import type { ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { findPort } from '../../../../plugins/postgres/test/support/use-postgres.ts';
import { Tab, type TabOptions } from '../../../server/test/support/tab.ts';
import { adapt, pathOf } from './example.ts';
import { Machine, untilReady } from './machine.ts';

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

  static async make(): Promise<Installed> {
    const installed = new Installed(new Machine(), await findPort());
    const { machine } = installed;
    installed.#putCheckout('opt/parley');
    mkdirSync(machine.path('etc/systemd/system'), { recursive: true });
    // npm has built already, and `systemctl` only notes what it should do
    for (const name of ['npm', 'systemctl'])
      machine.write(`local/bin/${name}`, `#!/bin/sh\necho ${name} "$@" >> /calls\n`, 0o755);
    await installed.follow('install.sh');
    return installed;
  }

  /** Puts another built checkout next to the installed one. @returns its folder `packages/cli` */
  addCheckout(folder: string): string {
    this.#putCheckout(folder);
    return this.machine.path(folder, 'packages/cli');
  }

  /** Runs documented steps as root. @param changes - as for `adapt` */
  async follow(steps: string, changes: Readonly<Record<string, string>> = {}): Promise<void> {
    this.machine.write(steps, adapt(steps, changes));
    expect(await this.machine.run(['sh', `/${steps}`]), steps).toMatchObject({ code: 0, stderr: '' });
  }

  /** Returns what systemd would run for a unit. */
  read(unit: string): Running {
    const { machine } = this;
    const [name, , id] = machine.read('etc/passwd').match(/^parley:x:(\d+):(\d+):/m) ?? [];
    expect(name, 'the user of the unit').toBeDefined();
    const user = Number(id);
    const folders = settingOf(unit, 'StateDirectory').split(' ');
    for (const folder of folders) machine.makeFolder(`var/lib/${folder}`, user);
    const file = settingOf(unit, 'EnvironmentFile');
    const pairs = file === '' ? [] : machine.read(file).trim().split('\n');
    const env = Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/).slice(0, 2)));
    const cwd = settingOf(unit, 'WorkingDirectory') || '/';
    const writable = [...folders.map((folder) => `var/lib/${folder}`), 'tmp'];
    return {
      command: settingOf(unit, 'ExecStart').split(' '),
      options: { user, cwd, writable, env: { ...env, PARLEY_PORT: String(this.#port) } },
    };
  }

  /** Starts the server. @throws Error with its log, if it ends before it is ready */
  async start(): Promise<Unit> {
    const { command, options } = this.read('parley.service');
    const server = this.machine.start([...command, '--json'], options);
    const { token } = await untilReady(server);
    const open = (tab: TabOptions = {}) =>
      Tab.open(`ws://127.0.0.1:${this.#port}/ws`, { ...tab, hello: { token, ...tab.hello } });
    return { server, door: { open } };
  }

  #putCheckout(folder: string): void {
    const { machine } = this;
    mkdirSync(machine.path(folder, 'docs'), { recursive: true });
    for (const name of ['packages', 'plugins', 'docs/examples', 'package.json'])
      machine.link(pathOf(name), join(folder, name));
    mkdirSync(machine.path(folder, 'node_modules'));
    for (const name of ['@parleyhq', 'better-sqlite3', 'bindings', 'file-uri-to-path', 'tsx'])
      machine.link(pathOf(`node_modules/${name}`), `${folder}/node_modules/${name}`);
  }
}
