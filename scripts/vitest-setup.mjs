// The global setup of the journeys: processes under test run the build, so it must be of the sources that are here.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { ensureBuild } from './ensure.mjs';
import { installOlderPostgres, installPostgres } from './install.mjs';

/** Costs a fraction of a second where nothing changed. @returns what tidies up */
export async function setup(project) {
  const removeFiles = gatherFiles();
  await ensureBuild();
  if (process.env.TEST_PG_URL === undefined) process.env.PARLEY_POSTGRES = find(installPostgres);
  if (process.env.PARLEY_TEST_PROJECT === 'long')
    process.env.PARLEY_OLDER_POSTGRES = find(() => JSON.stringify(installOlderPostgres()));
  project.onTestsRerun(() => ensureBuild());
  return removeFiles;
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
