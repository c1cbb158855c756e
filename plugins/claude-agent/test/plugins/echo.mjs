// A tool that asks nobody.
const echo = {
  name: 'echo',
  description: 'Returns its arguments.',
  parameters: { type: 'object' },
  handler: (args) => args,
};

export default { name: 'echoing', tools: [echo] };
