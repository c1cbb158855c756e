import { definePlugin, defineTool, type Json } from '@parleyhq/core';
import * as z from 'zod';

const configSchema = z.object({ limit: z.int().positive().default(3) });
let limit = 0;

const remember = defineTool({
  name: 'remember',
  description: 'Keep a note for this session.',
  parameters: z.object({ note: z.string().min(1) }),
  async handler({ note }, ctx) {
    const notes = ((await ctx.state.get('notes')) ?? []) as Json[];
    if (notes.length >= limit) throw ctx.error('too_many_notes', `There is room for ${limit} notes only.`);
    await ctx.state.set('notes', [...notes, note]);
    return { notes: notes.length + 1 };
  },
});

const whoIsHere = defineTool({
  name: 'who_is_here',
  description: 'Say whether a person could answer a question now.',
  parameters: { type: 'object', properties: {} },
  readOnly: true,
  handler: (_args, ctx) => ({ available: ctx.interaction.available, people: ctx.interaction.enabledCount }),
});

export default definePlugin({
  name: 'notes',
  version: '1.2.0',
  configSchema,
  tools: [remember, whoIsHere],
  async setup({ config, log, state }) {
    ({ limit } = configSchema.parse(config));
    const starts = Number((await state.get('starts')) ?? 0) + 1;
    await state.set('starts', starts);
    log.info('notes are ready', { limit, starts });
  },
  dispose() {
    limit = 0;
  },
});
