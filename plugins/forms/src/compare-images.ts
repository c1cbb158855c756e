import { defineTool } from '@parleyhq/core';
import * as z from 'zod';
import { askForm } from './form-result.ts';

const side = z.object({
  label: z.string().min(1).max(100),
  image: z
    .string()
    .regex(/^data:image\/(png|jpeg|webp|gif);base64,[A-Za-z0-9+/=]+$/)
    .max(100_000)
    .describe('The image as a data: address, PNG, JPEG, WebP or GIF, at most 100,000 characters.'),
});

/** A form with a choice, whose view shows one image over the other (PLG10). */
export const compareImages = defineTool({
  name: 'compare_images',
  description: 'Show the person two images, one over the other, and ask which one to take.',
  parameters: z.object({ question: z.string().default('Which one?'), before: side, after: side }),
  readOnly: true,
  hibernates: true,
  handler: ({ question, before, after }, ctx) =>
    askForm(ctx, {
      title: question,
      view: { name: 'comparison', data: { before, after } },
      inputSchema: {
        type: 'form',
        fields: [
          {
            id: 'choice',
            type: 'radio',
            label: 'Image',
            required: true,
            options: [
              { value: 'before', label: before.label },
              { value: 'after', label: after.label },
            ],
          },
          { id: 'notes', type: 'text', label: 'Notes' },
        ],
      },
    }),
});
