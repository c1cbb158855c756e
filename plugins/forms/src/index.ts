import { definePlugin } from '@parleyhq/core';
import { allFields } from './all-fields.ts';
import { askParallel } from './ask-parallel.ts';
import { collectEmail } from './collect-email.ts';
import { compareImages } from './compare-images.ts';
import { coversDeletion, createDeleteFiles, suggestDeletions } from './delete-files.ts';
import { pickColour } from './pick-colour.ts';
import { planTrip } from './plan-trip.ts';
import { Scratch } from './scratch.ts';
import { quickQuestion, survey } from './timed-questions.ts';
import { colourPage } from './views/colour-page.ts';
import { comparisonPage } from './views/comparison-page.ts';

const scratch = new Scratch();

export default definePlugin({
  name: 'forms',
  version: '0.1.0',
  tools: [
    allFields,
    collectEmail,
    quickQuestion,
    survey,
    planTrip,
    askParallel,
    pickColour,
    compareImages,
    createDeleteFiles(scratch),
  ],
  views: {
    colour: { html: colourPage, height: 240 },
    comparison: { html: comparisonPage, height: 360 },
  },
  covers: (rule, args) => coversDeletion(rule, args),
  suggestRules: suggestDeletions,
  setup: ({ dataDir }) => scratch.fill(dataDir),
});
