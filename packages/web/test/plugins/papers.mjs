const field = { id: 'papers', type: 'file', label: 'Papers', required: true, multiple: true };

/** Asks for files, and returns what is in them. */
export default {
  name: 'papers',
  tools: [
    {
      name: 'send_papers',
      description: 'Asks for papers.',
      parameters: { type: 'object' },
      async handler(args, ctx) {
        const inputSchema = { type: 'form', fields: [{ ...field, ...args }] };
        const said = await ctx.requestInteraction({ type: 'input', prompt: 'Your papers?', inputSchema });
        const sizes = [said.input?.papers ?? []].flat().map(async (file) => {
          const bytes = await new Response(await ctx.openFile(file)).arrayBuffer();
          return bytes.byteLength;
        });
        return Promise.all(sizes);
      },
    },
    {
      name: 'shelve_papers',
      description: 'Asks where papers go, with a button of its own.',
      parameters: { type: 'object' },
      async handler(_, ctx) {
        const inputSchema = { type: 'form', fields: [{ id: 'shelf', type: 'text', label: 'Shelf' }] };
        const actions = [{ id: 'shred', label: 'Shred them' }];
        const { button } = await ctx.requestInteraction({ type: 'input', prompt: 'Where to?', inputSchema, actions });
        return { button };
      },
    },
  ],
};
