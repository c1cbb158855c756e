// Tools whose calls a policy has reviewed.
const tool = (name, risk) => ({
  name,
  description: 'Says what it got.',
  parameters: { type: 'object' },
  describe: () => ({ title: `Say it (${name})?`, risk }),
  handler: (args) => args,
});

export default {
  name: 'reviewed',
  tools: [
    tool('quiet', 'low'),
    tool('sampled', 'low'),
    tool('louder', 'medium'),
    {
      name: 'approving',
      description: 'Asks for more than its description shows.',
      parameters: { type: 'object' },
      describe: () => ({ title: 'Begin?', risk: 'low' }),
      handler: (_, ctx) => ctx.approve({ key: 'send', title: 'Send it?', risk: 'low' }),
    },
  ],
};
