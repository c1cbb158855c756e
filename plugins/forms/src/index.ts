import { definePlugin } from '@parleyhq/core';
import { allFields } from './all-fields.ts';
import { askParallel } from './ask-parallel.ts';
import { collectEmail } from './collect-email.ts';
import { createDeleteFiles } from './delete-files.ts';
import { planTrip } from './plan-trip.ts';
import { Scratch } from './scratch.ts';
import { quickQuestion, survey } from './timed-questions.ts';

const scratch = new Scratch();

export default definePlugin({
  name: 'forms',
  version: '0.1.0',
  tools: [allFields, collectEmail, quickQuestion, survey, planTrip, askParallel, createDeleteFiles(scratch)],
  setup: ({ dataDir }) => scratch.fill(dataDir),
});
