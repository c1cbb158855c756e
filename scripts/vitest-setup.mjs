// The global setup of the journeys: processes under test run the build, so it must be of the sources that are here.
import process from 'node:process';
import { ensureBuild } from './ensure.mjs';
import { installOlderPostgres, installPostgres } from './install.mjs';

/** Costs a fraction of a second where nothing changed. */
export async function setup(project) {
  await ensureBuild();
  if (process.env.TEST_PG_URL === undefined) process.env.PARLEY_POSTGRES = find(installPostgres);
  if (process.env.PARLEY_TEST_PROJECT === 'long')
    process.env.PARLEY_OLDER_POSTGRES = find(() => JSON.stringify(installOlderPostgres()));
  project.onTestsRerun(() => ensureBuild());
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
