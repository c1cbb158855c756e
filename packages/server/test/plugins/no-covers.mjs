// Offers a rule that nobody could judge.
export default {
  name: 'no-covers',
  tools: [
    {
      name: 'careless',
      description: 'Offers a rule of a plugin without `covers`.',
      parameters: { type: 'object' },
      handler: (_, ctx) =>
        ctx.approve({ key: 'k', rules: [{ id: 'all', label: 'everything', key: 'all', scopes: ['session'] }] }),
    },
  ],
};
