// Finds or installs Firefox for the tests that use it.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { canInstall, installPackage } from './debian.mjs';

const NAMES = ['firefox', 'firefox-esr'];
const USUAL = [
  ...NAMES.map((name) => join('/usr/bin', name)),
  '/Applications/Firefox.app/Contents/MacOS/firefox',
  'C:\\Program Files\\Mozilla Firefox\\firefox.exe',
];

/** Returns the path of a Firefox, or undefined. `$FIREFOX` has precedence; if it names a missing file, there is no search. */
export function findFirefox(env = process.env, usual = USUAL) {
  if (env.FIREFOX) return existsSync(env.FIREFOX) ? env.FIREFOX : undefined;
  const folders = (env.PATH ?? '').split(delimiter).filter(Boolean);
  const installed = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return [...usual, ...installed].find((path) => existsSync(path));
}

/** Finds Firefox or, as root on Debian, installs it. @throws Error with the command that installs it */
export function ensureFirefox(say) {
  const found = findFirefox();
  if (found) return found;
  if (process.env.FIREFOX) throw new Error(`FIREFOX is set to ${process.env.FIREFOX}, which does not exist.`);
  if (canInstall()) {
    say('Installing Firefox for the browser tests (about a minute) …');
    installPackage('firefox-esr');
    const path = findFirefox();
    if (path) return path;
  }
  throw new Error(
    'These tests need Firefox. Install it, on Debian with:\n\n  apt-get install firefox-esr\n\nor set FIREFOX to the path of an installed one.',
  );
}
