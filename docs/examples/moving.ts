import { definePlugin, defineTool, type FormSchema, type FormValues } from '@parleyhq/core';

/** The questions of a step depend on earlier answers. */
const steps: readonly ((values: FormValues) => FormSchema)[] = [
  () => ({ type: 'form', submitLabel: 'Next', fields: [{ id: 'rooms', type: 'number', label: 'Rooms', min: 1 }] }),
  ({ rooms = 1 }) => ({
    type: 'form',
    submitLabel: 'Order',
    fields: [
      { id: 'boxes', type: 'number', label: `Boxes for ${rooms} rooms`, required: true },
      { id: 'note', type: 'textarea', label: 'Anything heavy?' },
    ],
  }),
];

const merge = (answers: readonly FormValues[]): FormValues => Object.assign({}, ...answers);

const orderMove = defineTool({
  name: 'order_move',
  description: 'Order a move, step by step.',
  parameters: {},
  async handler(_args, ctx) {
    const answers: FormValues[] = []; // the last answer of each step, without fields that were cleared
    for (let step = 0, asked = 1; step < steps.length; asked += 1) {
      const inputSchema = steps[step]?.(merge(answers.slice(0, step))) as FormSchema;
      const last = answers[step] ?? {};
      const known = inputSchema.fields.flatMap(({ id }) => (last[id] === undefined ? [] : [[id, last[id]]]));
      const answer = await ctx.requestInteraction({
        type: 'input',
        key: `question-${asked}`,
        title: `Your move, ${step + 1} of ${steps.length}`,
        inputSchema,
        initialValues: Object.fromEntries(known),
        ...(step > 0 && { actions: [{ id: 'back', label: 'Back', keepsInput: true }] }),
      });
      if (answer.action !== 'submit') throw ctx.error('cancelled', 'Nothing was ordered.');
      answers[step] = answer.input ?? {};
      step += answer.button === 'back' ? -1 : 1;
    }
    return merge(answers);
  },
});

export default definePlugin({ name: 'moving', tools: [orderMove] });
