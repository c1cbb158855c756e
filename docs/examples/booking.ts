import { definePlugin, defineTool } from '@parleyhq/core';
import * as z from 'zod';

const table = z.object({
  guests: z.int().min(1).max(12).meta({ title: 'Guests' }),
  day: z.iso.date().meta({ title: 'Day' }),
  place: z.enum(['inside', 'outside']).default('inside').meta({ title: 'Place' }),
  wishes: z.string().max(500).optional().meta({ title: 'Wishes', multiline: true }),
});

const bookTable = defineTool({
  name: 'book_table',
  description: 'Book a table with the person.',
  parameters: z.object({}),
  async handler(_args, ctx) {
    const { guests, day, place } = await ctx.ask('table', table, {
      title: 'Book a table',
      validate: ({ guests, place }) =>
        guests > 8 && place === 'outside' ? { place: 'Outside there is room for eight.' } : undefined,
    });
    return { booking: ctx.uuid(), guests, day, place };
  },
});

export default definePlugin({ name: 'booking', tools: [bookTable] });
