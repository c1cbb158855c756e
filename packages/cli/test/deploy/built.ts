import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, unlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathOf } from './example.ts';

/** The stamps by which scripts/ensure.mjs finds that nothing has to be installed or built. */
const stamps = ['dependencies', 'libraries', 'command', 'web', 'elements'];

/**
 * A copy of the checkout, as a build of the image has it after `COPY`. Installed packages and builds are links to those of the
 * checkout, because a test has no network and a build takes minutes.
 */
export class BuildFolder {
  readonly path = mkdtempSync(join(pathOf('node_modules'), '.parley-build-'));

  constructor() {
    const ignored = new Set(['.git', 'node_modules', 'packages', 'plugins', 'coverage']);
    for (const name of readdirSync(pathOf('.')).filter((each) => !ignored.has(each)))
      cpSync(pathOf(name), join(this.path, name), { recursive: true });
    for (const name of ['packages', 'plugins']) this.#link(pathOf(name), this.path);
    const modules = join(this.path, 'node_modules');
    mkdirSync(join(modules, '.cache/parley'), { recursive: true });
    for (const name of readdirSync(pathOf('node_modules')).filter((each) => !/^\.(parley-|cache$)/.test(each)))
      this.#link(pathOf(`node_modules/${name}`), modules);
    for (const name of stamps)
      cpSync(pathOf(`node_modules/.cache/parley/${name}`), join(modules, '.cache/parley', name));
    // npm writes this file in place, so it must not be a link
    unlinkSync(join(modules, '.package-lock.json'));
    cpSync(pathOf('node_modules/.package-lock.json'), join(modules, '.package-lock.json'));
  }

  /** Runs a line of the Dockerfile. @throws Error with its output, if it fails */
  run(line: string): void {
    const env = { ...process.env, npm_config_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };
    execFileSync('/bin/sh', ['-c', line], { cwd: this.path, env, stdio: 'pipe' });
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }

  #link(from: string, to: string): void {
    execFileSync('cp', ['-al', from, join(to, basename(from))]);
  }
}
