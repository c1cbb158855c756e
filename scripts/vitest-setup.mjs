// The global setup of the journeys: processes under test run the build, so it must be of the sources that are here.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { chromium } from 'playwright-core';
import { browserFlags, findChromium, findHeadlessShell } from './chromium.mjs';
import { ensureBuild, ensureTestPages } from './ensure.mjs';
import { installOlderPostgres, installPostgres } from './install.mjs';

/** Costs a fraction of a second where nothing changed. @returns what tidies up */
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
  if (process.env.TEST_PG_URL === undefined) process.env.PARLEY_POSTGRES = find(installPostgres);
  if (process.env.PARLEY_TEST_PROJECT === 'long')
    process.env.PARLEY_OLDER_POSTGRES = find(() => JSON.stringify(installOlderPostgres()));
  return async () => {
    await Promise.all(browsers.map((browser) => browser.close()));
    removeFiles();
  };
}

/** The browsers that all tests share, as packages/web/test/browser.ts connects to them. */
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

/** Temporary files of all tests are in one folder: a worker that is ended, or a server that is killed, removes none of its own. */
function gatherFiles() {
  const folder = mkdtempSync(join(tmpdir(), 'parley-tests-'));
  chmodSync(folder, 0o711); // PostgreSQL runs as another user
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}

/** Empty where it cannot be installed: the tests that need it say so, and others run. */
function find(installed) {
  try {
    return installed();
  } catch (error) {
    console.error(error.message);
    return '';
  }
}
