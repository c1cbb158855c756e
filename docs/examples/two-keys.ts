import { definePlugin, defineTool } from '@parleyhq/core';
import * as z from 'zod';

export default definePlugin({
  name: 'two-keys',
  tools: [
    defineTool({
      name: 'drop_table',
      description: 'Delete a table of the database.',
      parameters: z.object({ table: z.string() }),
      async handler({ table }, ctx) {
        const { approved, reason } = await ctx.approve({
          key: ['drop', table],
          title: `Delete the table ${table}?`,
          risk: 'high',
          audience: { roles: ['responder'], exclude: ['requester'] },
          decide: { approve: 2 },
          escalate: [{ afterMs: 600_000, audience: { role: 'operator' } }],
          reasonRequired: ['deny'],
        });
        if (!approved) throw ctx.error('denied', reason);
        return ctx.step('drop', () => ({ dropped: table }));
      },
    }),
  ],
});
