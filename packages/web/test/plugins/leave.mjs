// Tools that want leave: one that asks for itself, one that Parley asks about, one that edits.
const parameters = {
  type: 'object',
  properties: { name: { type: 'string' }, timeoutMs: { type: 'number' } },
  required: ['name'],
};

export default {
  name: 'leave',
  tools: [
    {
      name: 'leave',
      description: 'Asks for leave under a name.',
      parameters,
      async handler({ name, timeoutMs }, ctx) {
        const { approved, reason } = await ctx.approve({
          key: ({ name }) => ['leave', name],
          title: `Leave for ${name}?`,
          scopes: ['once', 'session', 'always'],
          ...(timeoutMs && { timeoutMs }),
          ...(name === 'a while' && { grantTtlMs: 600_000 }),
        });
        return approved ? `${name}: yes` : `${name}: ${reason}`;
      },
    },
    {
      name: 'guarded',
      description: 'Runs once Parley has asked.',
      parameters,
      approval: 'always',
      handler: ({ name }) => `${name} ran`,
    },
  ],
};
