// The global setup of the journeys: processes under test run the build, so it must be of the sources that are here.
import process from 'node:process';
import { ensureBuild } from './ensure.mjs';
import { installPostgres } from './install.mjs';

/** Costs a fraction of a second where nothing changed. */
export async function setup(project) {
  await ensureBuild();
  if (process.env.TEST_PG_URL === undefined) process.env.PARLEY_POSTGRES = findPostgres();
  project.onTestsRerun(() => ensureBuild());
}

/** Empty where it cannot be installed: the tests that need it say so, and others run. */
function findPostgres() {
  try {
    return installPostgres();
  } catch (error) {
    console.error(error.message);
    return '';
  }
}
