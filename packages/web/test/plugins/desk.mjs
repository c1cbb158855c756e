// Tools that several people decide about: two must approve, and three may answer.
const parameters = { type: 'object', properties: {} };

export default {
  name: 'desk',
  tools: [
    {
      name: 'desk_release',
      description: 'Asks two of all who may answer.',
      parameters,
      async handler(_, ctx) {
        const { approved } = await ctx.approve({ key: 'release', title: 'Release 2.1?', decide: { approve: 2 } });
        return approved ? 'released' : 'not released';
      },
    },
    {
      name: 'desk_ask',
      description: 'Asks whoever of several comes first.',
      parameters,
      async handler(_, ctx) {
        const inputSchema = { type: 'form', fields: [{ id: 'word', type: 'text', label: 'Word', required: true }] };
        return ctx.requestInteraction({
          type: 'input',
          title: 'Which word?',
          inputSchema,
          audience: { role: 'responder' },
        });
      },
    },
    {
      name: 'desk_operators',
      description: 'Asks operators only.',
      parameters,
      async handler(_, ctx) {
        const { approved } = await ctx.approve({
          key: 'close',
          title: 'Close the desk?',
          audience: { role: 'operator' },
        });
        return approved ? 'closed' : 'still open';
      },
    },
  ],
};
