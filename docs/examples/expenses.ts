import { definePlugin, defineTool, file } from '@parleyhq/core';
import * as z from 'zod';

const form = z.object({ table: file({ title: 'Expenses', accept: ['.csv'], maxBytes: 1_000_000 }) });

export default definePlugin({
  name: 'expenses',
  tools: [
    defineTool({
      name: 'count_expenses',
      description: 'Asks for a table of expenses and counts its rows.',
      parameters: z.object({}),
      async handler(_, ctx) {
        const { table } = await ctx.ask('table', form, { prompt: 'What did you spend?' });
        const text = await new Response(await ctx.openFile(table)).text();
        return { name: table.name, rows: text.trim().split('\n').length };
      },
    }),
  ],
});
