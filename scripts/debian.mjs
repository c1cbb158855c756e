// Installs or unpacks programs that tests need, on Debian.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const CACHE = join(dirname(dirname(fileURLToPath(import.meta.url))), 'node_modules/.cache/parley');

export const canInstall = () => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');

/** Installs a package. @throws Error with the output of apt-get */
export function installPackage(name) {
  runApt({}, 'update');
  runApt({}, 'install', '-y', '--no-install-recommends', name);
}

/**
 * Downloads a package and unpacks it into a folder of the checkout, once. The machine stays as it is: nothing is configured or
 * started.
 * @returns the folder @throws Error with the output of apt-get
 */
export function unpackPackage(name) {
  const folder = join(CACHE, `debian-${name}`);
  if (existsSync(folder)) return folder;
  console.log(`Downloading ${name} (up to 10 MB, once) …`);
  mkdirSync(CACHE, { recursive: true });
  const download = mkdtempSync(join(CACHE, 'download-'));
  if (canInstall()) runApt({}, 'update'); // a new container has no lists of packages
  runApt({ cwd: download }, 'download', name);
  const [file = ''] = readdirSync(download);
  execFileSync('dpkg-deb', ['-x', join(download, file), join(download, 'unpacked')]);
  renameSync(join(download, 'unpacked'), folder);
  rmSync(download, { recursive: true });
  return folder;
}

function runApt(options, ...args) {
  try {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    execFileSync('apt-get', ['-qq', ...args], { stdio: ['ignore', 'ignore', 'pipe'], env, ...options });
  } catch (error) {
    throw new Error(`apt-get ${args.join(' ')} failed:\n${error.stderr}`);
  }
}
