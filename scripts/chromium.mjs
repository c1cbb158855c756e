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

/** What a browser under test need not do. */
export const browserFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** The path of a Chromium to test with, or undefined. `$CHROMIUM` has precedence; if it is set to a missing file, no other is searched for. */
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

/** The path of a Chromium without windows, or undefined: it takes half the processor time, for it draws none of the browser's own parts. */
export function findHeadlessShell(env = process.env, usual = ['/usr/bin']) {
  if (env.CHROMIUM_SHELL) return existsSync(env.CHROMIUM_SHELL) ? env.CHROMIUM_SHELL : undefined;
  const folders = [...usual, ...(env.PATH ?? '').split(delimiter).filter(Boolean)];
  return folders.map((folder) => join(folder, SHELL)).find((path) => existsSync(path));
}

/** Finds it or, as root on Debian, installs it. Tests run without it, too, but for longer. */
export function ensureHeadlessShell(say) {
  const found = findHeadlessShell();
  if (found || !canInstall()) return found;
  try {
    say('Installing Chromium without windows for the browser tests …');
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
