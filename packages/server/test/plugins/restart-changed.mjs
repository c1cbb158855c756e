// A tool that asks other questions once there is a file `changed` in its folder, as after an update.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

let folder = '';
const ask = (id, prompt) => ({ type: 'input', prompt, inputSchema: { type: 'form', fields: [{ id, type: 'text' }] } });

export default {
  name: 'scripted',
  setup(host) {
    folder = host.dataDir;
  },
  tools: [
    {
      name: 'order',
      description: 'How many, and where to.',
      parameters: { type: 'object' },
      async handler(_, ctx) {
        const isChanged = existsSync(join(folder, 'changed'));
        const many = await ctx.requestInteraction(ask('many', isChanged ? 'How many dozens?' : 'How many?'));
        const place = await ctx.requestInteraction(ask('place', 'Where to?'));
        return [isChanged, many.input.many, place.input.place];
      },
    },
  ],
};
