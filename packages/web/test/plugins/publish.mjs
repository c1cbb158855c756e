// Two tools that need approval: `publish` asks for it itself; for `checked` the server asks.
const parameters = {
  type: 'object',
  properties: { name: { type: 'string' }, timeoutMs: { type: 'number' } },
  required: ['name'],
};

export default {
  name: 'publish',
  tools: [
    {
      name: 'publish',
      description: 'Asks for approval under a name.',
      parameters,
      async handler({ name, timeoutMs }, ctx) {
        const { approved, reason } = await ctx.approve({
          key: ({ name }) => ['publish', name],
          title: `Publish ${name}?`,
          scopes: ['once', 'session', 'always'],
          ...(timeoutMs && { timeoutMs }),
          ...(name === 'a while' && { grantTtlMs: 600_000 }),
        });
        return approved ? `${name}: yes` : `${name}: ${reason}`;
      },
    },
    {
      name: 'checked',
      description: 'Runs once it is approved.',
      parameters,
      approval: 'always',
      handler: ({ name }) => `${name} ran`,
    },
  ],
};
