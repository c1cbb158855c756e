const empty = { type: 'object' };

/** Asks at a high risk, in each of the ways in which a card can ask. */
export default {
  name: 'vault',
  tools: [
    {
      name: 'vault_open',
      description: 'Asks to open a door.',
      parameters: empty,
      handler: (_, ctx) =>
        ctx.approve({ key: 'open', title: 'Open the vault?', subject: { kind: 'text', text: 'door 7' }, risk: 'high' }),
    },
    {
      name: 'vault_form',
      description: 'Asks for a code.',
      parameters: empty,
      handler: (_, ctx) =>
        ctx.requestInteraction({
          type: 'input',
          title: 'Where to?',
          risk: 'high',
          inputSchema: {
            type: 'form',
            submitLabel: 'Submit',
            fields: [
              { id: 'door', type: 'text', label: 'Door' },
              { id: 'pin', type: 'secret', label: 'PIN' },
            ],
          },
        }),
    },
  ],
};
