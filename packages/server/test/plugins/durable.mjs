import { appendFileSync } from 'node:fs';

const secretForm = {
  type: 'form',
  fields: [
    { id: 'user', type: 'text', required: true },
    { id: 'password', type: 'secret', required: true },
  ],
};

export default {
  name: 'durable',
  tools: [
    {
      name: 'log_in',
      description: 'Asks for a secret and echoes it everywhere it must not go.',
      parameters: { type: 'object' },
      async handler(_args, ctx) {
        const answer = await ctx.requestInteraction({ type: 'input', key: 'login', inputSchema: secretForm });
        ctx.progress(`logging in with ${answer.input.password}\n`);
        const again = await ctx.requestInteraction({
          type: 'approval',
          key: 'go',
          prompt: `Use ${answer.input.password}?`,
        });
        return { ok: again.action === 'approve', length: answer.input.password.length, echo: answer.input.password };
      },
    },
    {
      name: 'pay_once',
      description: 'Writes a line to a file, once, then asks.',
      parameters: { type: 'object', properties: { file: { type: 'string' } }, required: ['file'] },
      async handler({ file }, ctx) {
        const receipt = await ctx.step('pay', () => {
          appendFileSync(file, 'paid\n');
          return { receipt: ctx.uuid(), at: ctx.now() };
        });
        const isFine = await ctx.confirm('fine', 'Is this receipt fine?');
        return { ...receipt, isFine };
      },
    },
  ],
};
