// One tool that ends the server when its call is entered again, and others that do nothing but ask.
import { existsSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';

let dataDir = '';
const note = (line) => appendFile(join(dataDir, 'effects'), `${line}\n`);
const parameters = { type: 'object' };
const demand = { type: 'approval', prompt: 'Go on?', timeoutMs: null, onUnavailable: 'wait' };

async function ask({ name }, ctx) {
  await note(`${name} entered`);
  const { action } = await ctx.requestInteraction(demand);
  return `${name}: ${action}`;
}

export default {
  name: 'scripted',
  setup(host) {
    ({ dataDir } = host);
    if (existsSync(join(dataDir, 'starts-armed'))) process.kill(process.pid, 'SIGKILL');
  },
  tools: [
    { name: 'plain', description: 'Asks.', parameters, handler: ask },
    { name: 'patient', description: 'Asks.', parameters, hibernates: true, handler: ask },
    {
      name: 'guilty',
      description: 'Ends the server when it is entered again.',
      parameters,
      async handler(_, ctx) {
        await note('guilty entered');
        if (existsSync(join(dataDir, 'armed'))) process.kill(process.pid, 'SIGKILL');
        return (await ctx.requestInteraction(demand)).action;
      },
    },
  ],
};
