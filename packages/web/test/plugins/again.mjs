// Tools that ask again: at once, or, if they are held, once `release` was called.
const parameters = { type: 'object', properties: { isHeld: { type: 'boolean' } } };
const inputSchema = {
  type: 'form',
  fields: [
    { id: 'email', type: 'text', label: 'Email', required: true },
    { id: 'note', type: 'text', label: 'Note' },
  ],
};
const held = [];
const decide = (isHeld) => (isHeld ? new Promise((resolve) => held.push(resolve)) : undefined);

export default {
  name: 'again',
  tools: [
    {
      name: 'collect',
      description: 'Asks for an address until it is one.',
      parameters,
      handler: ({ isHeld }, ctx) =>
        ctx.requestInteraction({
          type: 'input',
          title: 'Which address?',
          inputSchema,
          async onResponse({ input }) {
            await decide(isHeld);
            if (input.email.includes('@')) return { complete: input };
            return { reprompt: { fieldErrors: { email: 'No address' } } };
          },
        }),
    },
    {
      name: 'insist',
      description: 'Does not take no for an answer.',
      parameters,
      handler: ({ isHeld }, ctx) =>
        ctx.requestInteraction({
          type: 'approval',
          title: 'Release 2.1?',
          async onResponse({ action }) {
            await decide(isHeld);
            return action === 'deny' ? { reprompt: {} } : { complete: action };
          },
        }),
    },
    {
      name: 'release',
      description: 'Lets them decide.',
      parameters: { type: 'object', properties: {} },
      handler() {
        for (const go of held.splice(0)) go();
        return 'released';
      },
    },
  ],
};
