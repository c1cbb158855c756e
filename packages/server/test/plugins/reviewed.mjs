// Tools of low risk whose calls a policy has reviewed.
export default {
  name: 'reviewed',
  tools: [
    {
      name: 'quiet',
      description: 'Says what it got.',
      parameters: { type: 'object' },
      describe: () => ({ title: 'Say it?', risk: 'low' }),
      handler: (args) => args,
    },
    {
      name: 'approving',
      description: 'Asks for more than its description shows.',
      parameters: { type: 'object' },
      describe: () => ({ title: 'Begin?', risk: 'low' }),
      handler: (_, ctx) => ctx.approve({ key: 'send', title: 'Send it?', risk: 'low' }),
    },
  ],
};
