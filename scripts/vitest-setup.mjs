// The global setup of the journeys: processes under test run the build, so it must be up to date.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { chromium } from 'playwright-core';
import { browserFlags, findChromium, findHeadlessShell } from './chromium.mjs';
import { ensureBuild, ensureTestPages } from './ensure.mjs';
import { installOlderPostgres, installPostgres } from './install.mjs';
import { ensureProgram } from './proxies.mjs';

/** Takes a fraction of a second if nothing has changed. @returns the teardown */
export async function setup(project) {
  const removeFiles = gatherFiles();
  const { testFiles } = await project.globTestFiles(project.vitest.filenamePattern);
  const hasPages = testFiles.some((file) => file.includes('/packages/web/'));
  const build = async () => {
    await ensureBuild();
    if (hasPages) await ensureTestPages();
  };
  await build();
  project.onTestsRerun(build);
  const browsers = hasPages ? await launchBrowsers() : [];
  if (process.env.TEST_PG_URL === undefined) process.env.PARLEY_POSTGRES = await find(installPostgres());
  if (process.env.PARLEY_TEST_PROJECT === 'long') await setupLong(testFiles);
  return async () => {
    await Promise.all(browsers.map((browser) => browser.close()));
    removeFiles();
  };
}

/** Sets the variables of the programs that only long tests need. */
async function setupLong(testFiles) {
  process.env.PARLEY_OLDER_POSTGRES = await find(installOlderPostgres().then(JSON.stringify));
  if (!testFiles.some((file) => file.includes('/deploy/'))) return;
  process.env.PARLEY_NGINX = await find(tryProgram('nginx'));
  process.env.PARLEY_CADDY = await find(tryProgram('caddy'));
  process.env.PARLEY_SYSTEMD_ANALYZE = await find(tryProgram('systemd-analyze'));
}

const tryProgram = async (name) => ensureProgram(name);

/** Launches the browsers that all tests share; packages/web/test/browser.ts connects to them. */
async function launchBrowsers() {
  const whole = findChromium();
  const shell = findHeadlessShell() ?? whole;
  const launched = new Map();
  for (const executablePath of [whole, shell])
    if (executablePath && !launched.has(executablePath))
      launched.set(executablePath, await chromium.launchServer({ executablePath, args: browserFlags }));
  process.env.PARLEY_CHROMIUM_ENDPOINT = launched.get(whole)?.wsEndpoint() ?? '';
  process.env.PARLEY_SHELL_ENDPOINT = launched.get(shell)?.wsEndpoint() ?? '';
  return [...launched.values()];
}

/** Puts the temporary files of all tests into one folder, because killed workers and servers do not remove theirs. */
function gatherFiles() {
  const folder = mkdtempSync(join(tmpdir(), 'parley-tests-'));
  chmodSync(folder, 0o711); // PostgreSQL runs as another user
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}

/** Returns an empty text if a program cannot be installed: the tests that need it report that, and others run. */
function find(installed) {
  return installed.catch((error) => {
    console.error(error.message);
    return '';
  });
}
