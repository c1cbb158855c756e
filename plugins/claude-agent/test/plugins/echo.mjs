// A plugin with tools that do not ask anybody.
const echo = {
  name: 'echo',
  description: 'Returns its arguments.',
  parameters: { type: 'object' },
  handler: (args) => args,
};

// The API accepts neither this property name nor a top-level `anyOf`.
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
