import { definePlugin, defineTool, ToolError } from '@parleyhq/core';
import * as z from 'zod';

/** Imports its own copy of the core, as an author's plugin does; the server has another one in its bundle. */
export default definePlugin({
  name: 'second-core',
  tools: [
    defineTool({
      name: 'fail',
      description: 'Throws an error of the core.',
      parameters: z.object({ kind: z.enum(['tool', 'context']).describe('Whose error') }),
      handler({ kind }, ctx) {
        if (kind === 'tool') throw new ToolError('denied', 'Not today.');
        throw ctx.error('denied', 'Says the context.');
      },
    }),
    defineTool({
      name: 'recover',
      description: 'Catches what the server throws.',
      parameters: z.object({}),
      async handler(_, ctx) {
        try {
          return await ctx.ask('who', z.object({ name: z.string() }));
        } catch (error) {
          return error instanceof ToolError ? `caught ${error.code}` : 'unknown to this copy of the core';
        }
      },
    }),
  ],
});
