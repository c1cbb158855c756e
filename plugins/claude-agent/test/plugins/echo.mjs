// Tools that ask nobody.
const echo = {
  name: 'echo',
  description: 'Returns its arguments.',
  parameters: { type: 'object' },
  handler: (args) => args,
};

// The API takes neither its names nor its choice.
const foreign = {
  ...echo,
  name: 'foreign',
  parameters: {
    type: 'object',
    properties: { 'filter[id]': { type: 'integer', minimum: 1, exclusiveMinimum: true } },
    anyOf: [{ required: ['filter[id]'] }],
  },
};

export default { name: 'echoing', tools: [echo, foreign] };
