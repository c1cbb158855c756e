/** A tool that a person allows before it runs. */
export default {
  name: 'guarded',
  tools: [
    {
      name: 'guarded',
      description: 'Does something that takes leave.',
      parameters: { type: 'object' },
      approval: 'always',
      handler: () => 'ran',
    },
  ],
};
