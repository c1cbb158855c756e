// Tools that ask again: at once, or, if they are held, when `release` is called.
const parameters = { type: 'object', properties: { isHeld: { type: 'boolean' } } };
const inputSchema = {
  type: 'form',
  fields: [
    { id: 'email', type: 'text', label: 'Email', required: true },
    { id: 'note', type: 'text', label: 'Note' },
  ],
};
const held = [];
/** Calls of `release` that came before the calls they release. */
let early = 0;

async function decide(isHeld) {
  if (!isHeld) return;
  if (early === 0) await new Promise((resolve) => held.push(resolve));
  else early -= 1;
}

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
          async onResponse({ action, input }) {
            if (action === 'cancel') return { complete: 'cancelled' };
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
      description: 'Lets one of them decide.',
      parameters: { type: 'object', properties: {} },
      handler() {
        const go = held.shift();
        if (go) go();
        else early += 1;
        return 'released';
      },
    },
  ],
};
