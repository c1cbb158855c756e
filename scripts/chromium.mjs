// Finds or installs the browser for the end-to-end tests.
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { canInstall, installPackage } from './debian.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const SHELL = 'chromium-headless-shell';
const PLAYWRIGHT_CACHES = ['.cache/ms-playwright', 'Library/Caches/ms-playwright'];
const PLAYWRIGHT_BINARIES = [
  'chrome-linux64/chrome',
  'chrome-linux/chrome',
  'chrome-mac/Chromium.app/Contents/MacOS/Chromium',
  'chrome-mac-arm64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing',
  'chrome-mac-x64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing',
];
const USUAL = [
  ...NAMES.map((name) => join('/usr/bin', name)),
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Flags that switch off what tests do not need. */
export const browserFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** Returns the path of a Chromium, or undefined. `$CHROMIUM` has precedence; if it names a missing file, there is no search. */
export function findChromium(env = process.env, home = homedir(), usual = USUAL) {
  if (env.CHROMIUM) return existsSync(env.CHROMIUM) ? env.CHROMIUM : undefined;
  const folders = (env.PATH ?? '').split(delimiter).filter(Boolean);
  const installed = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return [...usual, ...installed, ...listPlaywrightBrowsers(env, home)].find((path) => existsSync(path));
}

function listPlaywrightBrowsers(env, home) {
  const caches = [env.PLAYWRIGHT_BROWSERS_PATH, ...PLAYWRIGHT_CACHES.map((cache) => join(home, cache))];
  return caches
    .filter((cache) => cache && existsSync(cache))
    .flatMap((cache) =>
      readdirSync(cache)
        .filter((name) => /^chromium-\d+$/.test(name))
        .sort((a, b) => Number(b.slice(9)) - Number(a.slice(9)))
        .flatMap((name) => PLAYWRIGHT_BINARIES.map((binary) => join(cache, name, binary))),
    );
}

/** Returns the path of a headless Chromium shell, or undefined. It takes half the CPU time, because it draws no browser UI. */
export function findHeadlessShell(env = process.env, usual = ['/usr/bin']) {
  if (env.CHROMIUM_SHELL) return existsSync(env.CHROMIUM_SHELL) ? env.CHROMIUM_SHELL : undefined;
  const folders = [...usual, ...(env.PATH ?? '').split(delimiter).filter(Boolean)];
  return folders.map((folder) => join(folder, SHELL)).find((path) => existsSync(path));
}

/** Finds the headless shell or, as root on Debian, installs it. Tests also run without it, but take longer. */
export function ensureHeadlessShell(say) {
  const found = findHeadlessShell();
  if (found || !canInstall()) return found;
  try {
    say('Installing headless Chromium for the browser tests …');
    installPackage(SHELL);
  } catch (error) {
    say(`The browser tests take longer: ${error.message}`);
  }
  return findHeadlessShell();
}

/** Finds Chromium or, as root on Debian, installs it. @throws Error with the command that installs it */
export function ensureChromium(say) {
  const found = findChromium();
  if (found) return found;
  if (process.env.CHROMIUM) throw new Error(`CHROMIUM is set to ${process.env.CHROMIUM}, which does not exist.`);
  if (canInstall()) {
    say('Installing Chromium for the browser tests (about a minute) …');
    installPackage('chromium');
    const path = findChromium();
    if (path) return path;
  }
  throw new Error(
    'The browser tests need Chromium. Install it with:\n\n  npx playwright-core install chromium\n\nor set CHROMIUM to the path of an installed one.',
  );
}
