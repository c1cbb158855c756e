const greet = {
  name: 'greet',
  description: 'Greet the person by name.',
  parameters: { type: 'object', properties: {} },
  async handler(_args, ctx) {
    const answer = await ctx.requestInteraction({
      type: 'input',
      prompt: 'What is your name?',
      inputSchema: { type: 'form', fields: [{ id: 'name', type: 'text', label: 'Name', required: true }] },
    });
    return answer.action === 'submit' ? `Hello, ${answer.input.name}!` : 'Nobody said a name.';
  },
};

export default { name: 'hello', tools: [greet] };
