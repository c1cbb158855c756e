import { defineTool, type Field, type FormValues, type InteractionAnswer, type Outcome } from '@parleyhq/core';
import * as z from 'zod';
import { askForm, completeForm } from './form-result.ts';

/** A wizard: three prompts of one call, each with a key, so that a restart continues at the same step (DUR5). */
export const planTrip = defineTool({
  name: 'plan_trip',
  description: 'Plan a trip with the person, in three steps.',
  parameters: z.object({}),
  readOnly: true,
  hibernates: true,
  async handler(_args, ctx) {
    const destination = await askForm(ctx, {
      key: 'destination',
      title: 'Trip, step 1 of 3',
      prompt: 'Where to?',
      inputSchema: { type: 'form', submitLabel: 'Next', fields: destinationFields },
    });
    if (!destination.ok) return destination;
    const dates = await askForm(ctx, {
      key: 'dates',
      title: 'Trip, step 2 of 3',
      prompt: 'From when to when?',
      inputSchema: { type: 'form', submitLabel: 'Next', fields: dateFields },
      onResponse: checkDates,
    });
    if (!dates.ok) return dates;
    const travellers = await askForm(ctx, {
      key: 'travellers',
      title: 'Trip, step 3 of 3',
      prompt: 'Who travels?',
      inputSchema: { type: 'form', layout: 'stepper', fields: travellerFields },
    });
    if (!travellers.ok) return travellers;
    return { ok: true, plan: { ...destination.values, ...dates.values, ...travellers.values } };
  },
});

const destinationFields: Field[] = [
  {
    id: 'destination',
    type: 'select',
    label: 'Destination',
    required: true,
    other: true,
    options: [
      { value: 'lisbon', label: 'Lisbon' },
      { value: 'oslo', label: 'Oslo' },
    ],
  },
];

const dateFields: Field[] = [
  { id: 'start', type: 'date', label: 'First day', required: true },
  { id: 'end', type: 'date', label: 'Last day', required: true },
];

const travellerFields: Field[] = [
  { id: 'adults', type: 'number', header: 'Adults', label: 'How many adults?', required: true, min: 1, step: 1 },
  { id: 'children', type: 'number', header: 'Children', label: 'How many children?', min: 0, step: 1 },
  { id: 'notes', type: 'textarea', header: 'Notes', label: 'Anything else?' },
];

function checkDates(answer: InteractionAnswer): Outcome {
  const { start, end }: FormValues = answer.input ?? {};
  const isReversed = typeof start === 'string' && typeof end === 'string' && end < start;
  return isReversed
    ? { reprompt: { fieldErrors: { end: 'Must not be before the first day.' } } }
    : completeForm(answer);
}
