// The global setup of the journeys: processes under test run the build, so it must be of the sources that are here.
import { ensureBuild } from './ensure.mjs';

/** Costs a fraction of a second where nothing changed. */
export async function setup(project) {
  await ensureBuild();
  project.onTestsRerun(() => ensureBuild());
}
