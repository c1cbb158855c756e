/** Asks long questions, many at once. */
export default {
  name: 'bulk',
  tools: [
    {
      name: 'ask_bulk',
      description: 'Asks at length.',
      parameters: { type: 'object' },
      handler: ({ count, size }, ctx) => {
        const subject = { kind: 'text', text: 'x'.repeat(size) };
        const ask = (_, n) =>
          ctx.requestInteraction({ type: 'approval', title: `Question ${n}`, subject, onUnavailable: 'wait' });
        return Promise.all(Array.from({ length: count }, ask));
      },
    },
  ],
};
