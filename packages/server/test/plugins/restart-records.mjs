// Tools that rely on their records after a restart. What runs is written to the file `effects` in the data folder.
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';

let folder = '';
const note = (line) => appendFileSync(join(folder, 'effects'), `${line}\n`);

const parameters = { type: 'object' };
const ask = (id, more = {}) => ({
  type: 'input',
  prompt: `${id}?`,
  inputSchema: { type: 'form', fields: [{ id, type: id === 'password' ? 'secret' : 'text' }] },
  ...more,
});
const tool = (name, handler, more = {}) => ({ name, description: `The tool "${name}".`, parameters, handler, ...more });

export default {
  name: 'scripted',
  setup(host) {
    folder = host.dataDir;
  },
  tools: [
    tool('doomed', (_, ctx) => {
      note('doomed ran');
      if (existsSync(join(folder, 'armed'))) process.kill(process.pid, 'SIGKILL');
      return ctx.requestInteraction(ask('what'));
    }),
    tool('receipt', async (_, ctx) => {
      const { input } = await ctx.requestInteraction(ask('password'));
      const receipt = await ctx.step('pay', () => {
        note('receipt paid');
        return `for ${input.password}`;
      });
      await ctx.requestInteraction(ask('sure'));
      return receipt.length;
    }),
    tool('numbered', async (_, ctx) => {
      const onResponse = () => ({ complete: ctx.uuid() });
      const inHook = await ctx.requestInteraction(ask('first', { onResponse }));
      const own = ctx.uuid();
      await ctx.requestInteraction(ask('second', { prompt: own }));
      return { inHook, own };
    }),
    tool('forgiving', async ({ late }, ctx) => {
      const fail = () => {
        throw ctx.error('mine', 'It is my fault.');
      };
      const hooks = late ? { timeoutMs: 50, onTimeout: fail } : { onResponse: fail };
      const code = await ctx.requestInteraction(ask('first', hooks)).catch((error) => error.code);
      await ctx.requestInteraction(ask('second', { prompt: `after ${code}` }));
      return code;
    }),
    tool('dated', async (_, ctx) => {
      const onResponse = () => ({ complete: { at: new Date(0), gone: undefined } });
      return typeof (await ctx.requestInteraction(ask('first', { onResponse }))).at;
    }),
    tool('echoing', async (_, ctx) => {
      const one = ctx.requestInteraction(ask('one', { key: 'same' }));
      await ctx.requestInteraction(ask('two', { key: 'same' })).catch((error) => one.catch(() => error));
    }),
    tool('asking', ({ demand }, ctx) => ctx.requestInteraction(ask('what', demand))),
    tool('slow', async (_, ctx) => {
      const onResponse = async () => {
        note('slow heard');
        while (!existsSync(join(folder, 'heard'))) await new Promise((resolve) => setTimeout(resolve, 5));
        setTimeout(() => note('slow done'), 50);
        return { complete: 'left over' };
      };
      return ctx.requestInteraction(ask('what', { onResponse }));
    }),
    tool('patient', (_, ctx) => ctx.requestInteraction(ask('what', { onResponse: async () => ({ complete: 1 }) })), {
      timeoutMs: 2 ** 31 + 5,
    }),
    tool('wordy', (_, ctx) => {
      throw ctx.error('c'.repeat(1_000_000), 'm'.repeat(3_000_000));
    }),
  ],
};
