import { definePlugin, defineTool } from '@parleyhq/core';
import * as z from 'zod';

/** A reviewer for people's own paths, and a tool whose calls it may pass. */
export default definePlugin({
  name: 'searching',
  tools: [
    defineTool({
      name: 'search_notes',
      description: 'Searches the notes of a person.',
      parameters: z.object({ query: z.string(), person: z.string() }),
      describe: ({ query, person }) => ({ title: `Search the notes of ${person} for “${query}”?`, risk: 'low' }),
      approval: 'always',
      handler: ({ query }) => ({ found: [`${query}: yesterday`] }),
    }),
  ],
  reviewers: [
    {
      name: 'own-notes',
      configSchema: z.object({ people: z.array(z.string()).default([]) }),
      review({ toolName, args }, { config }) {
        const { people } = config as { people: string[] };
        const { person } = args as { person?: string };
        if (toolName !== 'search_notes' || person === undefined) return { verdict: 'ask', reason: 'Not a search.' };
        if (people.includes(person)) return { verdict: 'pass', reason: `${person} lets everybody search.` };
        return { verdict: 'ask', reason: `${person} has not agreed to searches.` };
      },
    },
  ],
});
