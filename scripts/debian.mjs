// Installs programs that tests need, as root on Debian.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import process from 'node:process';

export const canInstall = () => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');

/** Installs a package. @throws Error with the output of apt-get */
export function installPackage(name) {
  runApt('update');
  runApt('install', '-y', '--no-install-recommends', name);
}

function runApt(...args) {
  try {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    execFileSync('apt-get', ['-qq', ...args], { stdio: ['ignore', 'ignore', 'pipe'], env });
  } catch (error) {
    throw new Error(`apt-get ${args.join(' ')} failed:\n${error.stderr}`);
  }
}
