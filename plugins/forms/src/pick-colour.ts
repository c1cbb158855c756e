import { defineTool } from '@parleyhq/core';
import * as z from 'zod';
import { askForm } from './form-result.ts';

const colour = z.string().regex(/^#[0-9a-fA-F]{6}$/);

/** A form with a text field, whose view is a colour picker (PLG10). */
export const pickColour = defineTool({
  name: 'pick_colour',
  description: 'Ask the person for a colour, by a picker that begins with one.',
  parameters: z.object({
    question: z.string().default('Which colour?'),
    start: colour.default('#1d5f5a').describe('The colour to begin with, as #rrggbb.'),
  }),
  readOnly: true,
  hibernates: true,
  handler: ({ question, start }, ctx) =>
    askForm(ctx, {
      title: question,
      view: { name: 'colour' },
      inputSchema: {
        type: 'form',
        fields: [
          {
            id: 'colour',
            type: 'text',
            label: 'Colour',
            description: 'As #rrggbb.',
            required: true,
            pattern: '#[0-9a-fA-F]{6}',
          },
        ],
      },
      initialValues: { colour: start },
    }),
});
